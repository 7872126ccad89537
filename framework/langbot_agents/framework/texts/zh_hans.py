"""The Chinese catalogue: English text to Chinese text, by the part of the house that says it."""

TEXTS: dict[str, str] = {
    # documents
    "the tag {tag!r} is not read": "不支持标签 {tag!r}",
    "remove it; text that begins with '!' must be quoted": "请去掉它；以 '!' 开头的文字必须加引号",
    "split it, or write less": "请拆分，或写少一些",
    "nested deeper than {count} levels": "嵌套超过 {count} 层",
    "the aliases of the file add more than {count} values": "文件中的别名展开后超过 {count} 个值",
    "more than {count} values in one document": "一个文档里超过 {count} 个值",
    "more than {count} documents in one file": "一个文件里超过 {count} 个文档",
    "a list or mapping cannot be a key": "列表或映射不能作为键",
    "text that begins with {char!r} must be quoted": "以 {char!r} 开头的文字必须加引号",
    "the alias {name!r} holds itself": "别名 {name!r} 包含了它自己",
    "write it out": "请完整写出",
    "no anchor {name!r} above": "上文没有锚点 {name!r}",
    "merge keys are not read": "不支持合并键",
    "write the keys out": "请逐个写出这些键",
    "an empty key": "键为空",
    "a value is missing here": "这里缺少值",
    "write it, or remove the comma before it": "请写出它，或去掉它前面的逗号",
    "write the key before the ':'": "请在 ':' 前写出键名",
    "key {key} is not text": "键 {key} 不是文字",
    'quote it: "{text}"': '请加引号："{text}"',
    "the text holds a NUL or half a character": "文字中含有 NUL 或半个字符",
    "remove the escape": "请去掉该转义",
    "key {key!r} is given twice; first in line {line}": "键 {key!r} 重复；首次出现在第 {line} 行",
    "remove one of them": "请去掉其中一个",
    "the number {text} cannot be kept exactly": "数字 {text} 无法精确保存",
    'quote it if it is text: "{text}"': '如果它是文字，请加引号："{text}"',
    "allowed: {names}  (did you mean {near!r}?)": "可用：{names}  （是否想写 {near!r}？）",
    "unknown key {key!r}": "未知的键 {key!r}",
    "expected {expected}, got {value}": "应为{expected}，实际是 {value}",
    "{value} is not a time with a zone": "{value} 不是带时区的时间",
    "nothing": "空值",
    "a list": "列表",
    "text or a list": "文字或列表",
    "a mapping": "映射",
    "write for example {example}": "例如写成 {example}",
    "{value} is refused: {reason}": "{value} 不被接受：{reason}",
    "allowed: {names}": "可用：{names}",
    "text": "文字",
    "true or false": "true 或 false",
    "unknown value {value}": "未知的值 {value}",
    "a letter or digit, then letters, digits and . _ : / -, at most 128 characters": (
        "以字母或数字开头，后接字母、数字和 . _ : / -，最多 128 个字符"
    ),
    "two to five parts in lower case, such as {example}": "两到五段小写名称，例如 {example}",
    "{value} is malformed": "{value} 格式不正确",
    "it must match {pattern}": "必须符合 {pattern}",
    "{value} is too small": "{value} 太小",
    "more than {bound:g}": "须大于 {bound:g}",
    "{count} characters are too many": "{count} 个字符太多",
    "{value} is too short": "{value} 太短",
    "at least {bound:g}": "最小 {bound:g}",
    "this key is missing": "缺少这个键",
    "add `{key}: ...`": "请加上 `{key}: ...`",
    "a secret reference cannot stand here": "这里不能使用密钥引用",
    "write the value itself; only text may be a secret": "请直接写值；只有文字可以是密钥",
    "{value} is not a URL": "{value} 不是 URL",
    "did you mean {near!r}?": "是否想写 {near!r}？",
    "a truth value": "布尔值",
    "a number": "数字",
    "{value} is {kind}, not text": "{value} 是{kind}，不是文字",
    "give a value, or remove the key": "请给出值，或去掉这个键",
    "its keys: {names}": "它的键：{names}",
    "a whole number": "整数",
    "{value} is not a name": "{value} 不是合法的名称",
    "two to five parts in lower case, such as {example}; or `message.*`, or `*`": (
        "两到五段小写名称，例如 {example}；或 `message.*`，或 `*`"
    ),
    "{value} is not an event type": "{value} 不是事件类型",
    "{value} is too large": "{value} 太大",
    "at most {bound}": "最大 {bound}",
    "less than {bound}": "须小于 {bound}",
    "the list is empty": "列表为空",
    "the text is empty": "文字为空",
    "write it in brackets: [{value}]": "请写在方括号里：[{value}]",
    "write `key: value` lines": "请写成 `key: value` 的各行",
    "write {word}": "请写 {word}",
    "write it without quotes: {text}": "请去掉引号：{text}",
    "write a whole number such as 10": "请写整数，例如 10",
    "write a number such as 1.5": "请写数字，例如 1.5",
    "(did you mean {near!r}?)": "（是否想写 {near!r}？）",
    "give a value": "请给出值",
    "{value} is not a duration": "{value} 不是时长",
    "write seconds, or for example {example}": "请写秒数，或例如 {example}",
    "{value} is not a size": "{value} 不是大小",
    "write bytes, or for example {example}": "请写字节数，或例如 {example}",
    "{value} is not a span of hours": "{value} 不是时间段",
    "{value} is not a time zone": "{value} 不是时区",
    "write an IANA name such as {example}": "请写 IANA 名称，例如 {example}",
    "max {high} is shorter than min {low}": "max {high} 短于 min {low}",
    "make max at least as long as min": "请使 max 不短于 min",
    "`none` stands alone": "`none` 只能单独出现",
    "remove it or the other targets": "请去掉它，或去掉其他目标",
    "give exactly one of {names}": "请在 {names} 中恰好给出一个",
    "the name {name} is given twice": "名称 {name} 重复",
    "give each its own name": "请各起不同的名称",
    "a document begins with `apiVersion: {version}` and `kind: AgentBinding`": (
        "文档以 `apiVersion: {version}` 和 `kind: AgentBinding` 开头"
    ),
    "move it to langbot-agents.yaml": "请移到 langbot-agents.yaml",
    "a {kind} document among the bindings": "绑定文件中混有 {kind} 文档",
    "{glob!r} matches no YAML file": "{glob!r} 没有匹配到任何 YAML 文件",
    "correct `bindings` in langbot-agents.yaml": "请修正 langbot-agents.yaml 中的 `bindings`",
    "the document is not a mapping": "文档不是映射",
    "a binding in a test file is never loaded": "测试文件中的绑定不会被加载",
    "move it to a file that ends in .test.yaml": "请移到以 .test.yaml 结尾的文件",
    "unknown {key} {value}": "未知的 {key} {value}",
    "move it to a file that does not end in .test.yaml": "请移到不以 .test.yaml 结尾的文件",
    "the file holds no document": "文件中没有文档",
    "this is not a file": "这不是文件",
    "there is no such file": "没有这个文件",
    "the file cannot be read: {reason}": "无法读取文件：{reason}",
    "write {env} or {file}; for a literal {opening} write {escaped}": (
        "请写 {env} 或 {file}；要写字面的 {opening} 请用 {escaped}"
    ),
    "unknown reference {text!r}": "未知的引用 {text!r}",
    "{name!r} is not an environment name": "{name!r} 不是环境变量名",
    "a secret reference inside longer text": "密钥引用夹在较长的文字里",
    "a reference is the whole value; put the longer text into the secret": (
        "引用必须是整个值；请把整段文字放进密钥"
    ),
    "{name!r} is not a file name": "{name!r} 不是文件名",
    "{name!r} leads out of the secrets directory": "{name!r} 指向密钥目录之外",
    "write a path below `secrets.directory`": "请写 `secrets.directory` 之下的路径",
    "set the variables, or put the files into `secrets.directory`": (
        "请设置这些变量，或把文件放进 `secrets.directory`"
    ),
    "secrets are missing: {listed}": "缺少密钥：{listed}",
    "the secret reference {reference} is not resolved here": "密钥引用 {reference} 在这里不会被解析",
    "`secrets.env` does not allow it": "`secrets.env` 不允许读取它",
    "the environment has no such variable": "环境中没有这个变量",
    "it is empty": "它是空的",
    "references stand in `runner_config` and in langbot-agents.yaml": (
        "引用只能写在 `runner_config` 和 langbot-agents.yaml 中"
    ),
    "it leads out of `secrets.directory`": "它指向 `secrets.directory` 之外",
    "it is not a file": "它不是文件",
    "it is larger than 1 MiB": "它超过 1 MiB",
    "there is no such file in `secrets.directory`": "`secrets.directory` 中没有这个文件",
    "it is not UTF-8 text": "它不是 UTF-8 文字",
    "it cannot be read": "无法读取",
    "the file is larger than {count} bytes": "文件超过 {count} 字节",
    "the character U+{number:04X} cannot stand in YAML": "YAML 中不能出现字符 U+{number:04X}",
    "remove it, or write it as an escape in double quotes": "请去掉它，或在双引号内写成转义",
    "the file is UTF-16": "文件是 UTF-16 编码",
    "save it as UTF-8": "请另存为 UTF-8",
    "byte 0x{byte:02x} is not UTF-8": "字节 0x{byte:02x} 不是 UTF-8",
    "split it": "请拆分",
    "quote it: {quoted}": "请加引号：{quoted}",
    "the list that opens here is not closed": "从这里开始的列表没有结束",
    "the braces that open here are not closed": "从这里开始的花括号没有结束",
    "not valid YAML: {problem}": "不是有效的 YAML：{problem}",
    "a key where the line above has a value without ': '": "上一行的值缺少 ': '，这里却出现了键",
    "line it up with the other keys, and end each key above with ': '": (
        "请与其他键对齐，并让上面每个键以 ': ' 结尾"
    ),
    "this line is not a key of the mapping that begins at line {line}": (
        "这一行不是第 {line} 行开始的映射的键"
    ),
    "indent it like its neighbours, and write `key: value`": "请与相邻行缩进一致，并写成 `key: value`",
    "a tab indents this line": "这一行用制表符缩进",
    "indent with spaces": "请用空格缩进",
    "the quote that opens here is never closed": "从这里开始的引号没有结束",
    "close it, or write a single quote inside single quotes twice": "请补上引号；单引号内的单引号要写两个",
    "unknown escape {escape} in a double-quoted text": "双引号文字中有未知的转义 {escape}",
    "double the backslash, or use single quotes": "请写两个反斜杠，或改用单引号",
    "a list cannot begin on the line of its key": "列表不能和键写在同一行",
    "begin it on the next line, or write it in brackets": "请另起一行，或写在方括号里",
    "text on the line of '|' or '>'": "'|' 或 '>' 后面同一行有文字",
    "begin it on the next line, indented": "请另起一行并缩进",
    "a line that begins with '%' is a directive, and this one is not read": (
        "以 '%' 开头的行是指令，而这条指令不被支持"
    ),
    "remove it": "请去掉它",
    "unexpected text after the end of the document": "文档结束后还有文字",
    "quote the whole value, or begin a new document with a line `---`": (
        "请给整个值加引号，或用一行 `---` 开始新文档"
    ),
    "a {closer!r} or a comma is expected before line {line}": "第 {line} 行之前应有 {closer!r} 或逗号",
    "a {closer!r} or a comma is expected": "应有 {closer!r} 或逗号",
    "a second ': ' in one line": "一行里出现第二个 ': '",
    "quote the text that holds it, or begin a new line": "请给含有它的文字加引号，或另起一行",
    "unexpected text after a value": "值的后面还有文字",
    "quote the whole value": "请给整个值加引号",
    "this line is not an entry of the list that begins at line {line}": (
        "这一行不是第 {line} 行开始的列表的条目"
    ),
    "begin it with '- ', or indent it like its parent": "请以 '- ' 开头，或与上级缩进一致",
    "the document is {value}, not a mapping": "文档是 {value}，不是映射",
    "not valid YAML": "不是有效的 YAML",
    "the file cannot be read": "无法读取文件",
    "the file is not UTF-8 text": "文件不是 UTF-8 文字",
    "too large, too deep or too many nodes": "太大、太深或节点太多",
    "a key is given twice": "键重复",
    "a key is not text": "键不是文字",
    "a merge key": "合并键",
    "a tag": "标签",
    "an alias that leads nowhere": "别名没有指向",
    "a number that cannot be kept exactly": "无法精确保存的数字",
    "apiVersion is missing or unknown": "apiVersion 缺失或未知",
    "kind is missing or unknown": "kind 缺失或未知",
    "a document in the wrong file": "文档放错了文件",
    "a glob matches no file": "通配没有匹配到文件",
    "unknown key": "未知的键",
    "missing key": "缺少的键",
    "wrong type": "类型不对",
    "a number or a truth value where text is expected": "应为文字的地方是数字或布尔值",
    "a value that is not one of those allowed": "不在可用范围内的值",
    "malformed name": "名称格式不正确",
    "malformed event type": "事件类型格式不正确",
    "out of bounds": "超出范围",
    "malformed value": "值格式不正确",
    "malformed secret reference": "密钥引用格式不正确",
    "a secret reference where none is resolved": "密钥引用写在不会解析的地方",
    "a secret is missing": "缺少密钥",
    # store
    "{place}: {cause}": "{place}：{cause}",
    "{place}: a row breaks a rule of the store: {cause}": "{place}：有一行违反了存储的规则：{cause}",
    "{place}: the store is closed": "{place}：存储已关闭",
    "{place}: opened for reading only": "{place}：仅以只读方式打开",
    "{place}: there is no such store": "{place}：没有这个存储",
    "{place}: the store is older than this program": "{place}：存储的版本比本程序旧",
    "{place}: a database of something else": "{place}：这是别的程序的数据库",
    "{place}: the file system cannot hold a write-ahead log": "{place}：该文件系统无法存放预写日志",
    "{place}: made by a newer langbot-agents: revision {revision!r}, ours is {known!r}": (
        "{place}：由更新的 langbot-agents 创建：版本 {revision!r}，本程序为 {known!r}"
    ),
    "{path}: held by another host, process {pid}": "{path}：正被另一个主机占用，进程 {pid}",
    "storage: {url!r} is not a database URL": "storage：{url!r} 不是数据库 URL",
    "storage: {url!r}: this version stores in SQLite only": "storage：{url!r}：此版本只支持 SQLite",
    "storage: {url!r}: a path alone is wanted, of a file that lasts": (
        "storage：{url!r}：只能写一个文件路径，且文件必须能长期保存"
    ),
    "no event {event_uid!r}": "没有事件 {event_uid!r}",
    "start the host once": "请先启动一次主机",
    "start the host once, which brings it up to date": "请启动一次主机，它会自动升级存储",
    "set another `storage` in langbot-agents.yaml": "请在 langbot-agents.yaml 中另设 `storage`",
    "update langbot-agents, or restore the backup from before the update": (
        "请更新 langbot-agents，或恢复更新前的备份"
    ),
    "put the store on a local disk": "请把存储放到本地磁盘上",
    "write it as sqlite:///data/langbot-agents.db": "请写成 sqlite:///data/langbot-agents.db",
    "end that process, or set another `storage` in langbot-agents.yaml for this host": (
        "请结束该进程，或在 langbot-agents.yaml 中为本主机另设 `storage`"
    ),
    "free some space on that disk": "请在该磁盘上腾出空间",
    "end the program that holds a lock on it, such as a backup or a database browser": (
        "请结束锁住它的程序，例如备份程序或数据库浏览器"
    ),
    "let this user write the file and its folder, or set another `storage` in langbot-agents.yaml": (
        "请允许当前用户写该文件及其目录，或在 langbot-agents.yaml 中另设 `storage`"
    ),
    "restore it from a backup, or move it away to begin with an empty store": (
        "请从备份恢复，或把它移走以便从空存储开始"
    ),
    "look at the disk and at the system's log": "请检查磁盘和系统日志",
    # bindings, router, filters
    "paused: {reason}": "已暂停：{reason}",
    "no reason was given": "没有说明原因",
    "not a filter expression": "不是过滤表达式",
    "no such runner": "没有这个运行器",
    "a setting that the runner does not take": "运行器不接受的设置",
    "a runner whose config schema is broken": "运行器的配置模式有误",
    "a binding_id that is taken": "binding_id 已被占用",
    "two bindings that tie": "两个绑定不分先后",
    "two bindings that may tie": "两个绑定可能不分先后",
    "what this version does not do yet": "此版本尚未实现的功能",
    "{value!r} is no standard event type": "{value!r} 不是标准事件类型",
    "no event has {name} {value!r}": "没有事件的 {name} 会是 {value!r}",
    "not a JMESPath expression: {cause}": "不是 JMESPath 表达式：{cause}",
    "text stands in single quotes, for example `input.text == 'hello'`": (
        "文字写在单引号里，例如 `input.text == 'hello'`"
    ),
    "this version of the host does not do this yet": "此版本的主机还不支持这一项",
    "remove it, or wait for a version that does; nothing is ignored silently": (
        "请去掉它，或等待支持它的版本；任何设置都不会被默默忽略"
    ),
    "{name!r} is already the binding at {origin}": "{name!r} 已是 {origin} 处的绑定",
    "give one of them another binding_id; the first stays live": (
        "请给其中一个换一个 binding_id；第一个继续生效"
    ),
    "ties with {name!r} ({origin}): both would answer {event}": (
        "与 {name!r}（{origin}）不分先后：两者都会回答 {event}"
    ),
    "change priority, scope or event_types, or make one `mode: observe`; {name!r} stays live": (
        "请修改 priority、scope 或 event_types，或把其中一个设为 `mode: observe`；{name!r} 继续生效"
    ),
    "may tie with {name!r} ({origin}) where both filters hold, for example {event}": (
        "两者的过滤条件都成立时，可能与 {name!r}（{origin}）不分先后，例如 {event}"
    ),
    "change priority, so that it is said which one answers; now {name!r} does": (
        "请修改 priority，写明由谁回答；现在由 {name!r} 回答"
    ),
    "expected {kind}": "应为 {kind}",
    "missing: {names}": "缺少：{names}",
    "the config schema of runner {runner} fails: {reason}": (
        "运行器 {runner} 的配置 schema 无法使用：{reason}"
    ),
    "{value} does not fit runner {runner}: {cause}": "{value} 不符合运行器 {runner} 的要求：{cause}",
    "the runner knows: {names}": "该运行器的设置：{names}",
    "runner {runner} has no setting {name!r}": "运行器 {runner} 没有设置 {name!r}",
    "unexpected {token!r}": "此处不应有 {token!r}",
    "it ends too early": "表达式不完整",
    "gives {value}, which is neither true nor false": "结果是 {value}，既不是 true 也不是 false",
    "it makes over {count} times what it looks at": "结果会膨胀到所读内容的 {count} 倍以上",
    "it is nested too deeply": "嵌套太深",
    # plugins, registry
    "left out by LANGBOT_AGENTS_PLUGINS": "被 LANGBOT_AGENTS_PLUGINS 排除",
    "left out by plugins.disabled": "被 plugins.disabled 排除",
    "not imported: add {distribution!r} to plugins.in_process if you trust its code": (
        "未导入：如果信任它的代码，请把 {distribution!r} 加入 plugins.in_process"
    ),
    "plugins.in_process names it, but it is not installed{hint}": (
        "plugins.in_process 列出了它，但没有安装{hint}"
    ),
    "import failed: {reason}": "导入失败：{reason}",
    "it has no hook: put `@hookimpl` above its functions": "它没有任何钩子：请在函数上方加 `@hookimpl`",
    "not called by this version: {names}": "此版本还不调用：{names}",
    "there is no hook {name!r}{hint}": "没有钩子 {name!r}{hint}",
    " (did you mean {name!r}?)": "（是否想写 {name!r}？）",
    "hook {name!r} is a wrapper; each hook is called alone": "钩子 {name!r} 是包装器；每个钩子都单独调用",
    "hook {hook}: {reason}": "钩子 {hook}：{reason}",
    "took longer than {seconds:g} s": "超过 {seconds:g} 秒",
    "runner {name!r} is quarantined: {reason}": "运行器 {name!r} 已被隔离：{reason}",
    "did you mean {name!r}?": "是否想写 {name!r}？",
    "installed: {names}": "已安装：{names}",
    "not taken in: {names} (see `lba runners list`)": "未接入：{names}（见 `lba runners list`）",
    "no runner {name!r} is installed": "没有安装运行器 {name!r}",
    "aliases is a tuple of names, got {value!r}": "aliases 应为名称的元组，实际是 {value!r}",
    "{runner!r} is not a subclass of AgentRunner": "{runner!r} 不是 AgentRunner 的子类",
    "config_schema refers to {place!r}, outside of itself": "config_schema 引用了自身之外的 {place!r}",
    "the id is held by {holder}": "该 id 已归 {holder} 所有",
    # settings, project
    "environment": "环境变量",
    "{place}: there is no such setting": "{place}：没有这个设置",
    "{place}: {cause}, got {value!r}": "{place}：{cause}，实际是 {value!r}",
    "it is not JSON": "不是 JSON",
    "write lists and objects as JSON, for example {example}": "列表和对象请写成 JSON，例如 {example}",
    "environment: {name} names no setting": "环境变量：{name} 不对应任何设置",
    "{path}: one document of kind Host is needed, found {count}": (
        "{path}：需要恰好一个 kind 为 Host 的文档，实际有 {count} 个"
    ),
    "binding {name!r} needs {reference}: {reason}": "绑定 {name!r} 需要 {reference}：{reason}",
    "runs of this binding fail with `secret` until it is there; the others work": (
        "补上之前，这个绑定的运行会以 `secret` 失败；其他绑定不受影响"
    ),
    "the root document needs {reference}: {reason}": "根文档需要 {reference}：{reason}",
    "only what uses it is out of order": "只有用到它的部分不可用",
    "{path}: there is no such root document": "{path}：没有这个根文档",
    "`lba init` makes a project; `--config PATH` names another root document": (
        "`lba init` 可创建项目；`--config PATH` 可指定别的根文档"
    ),
    "the root document cannot be used": "根文档无法使用",
    # access
    "a token cannot be called {name!r}: another source has that name": "令牌不能叫 {name!r}：已有别的来源使用此名称",
    "choose another name": "请换一个名称",
    "only the host's own token may do this": "只有主机自己的令牌可以这样做",
    "use `lba tokens` on the machine of the host": "请在主机所在的机器上使用 `lba tokens`",
    "the token has ended": "令牌已失效",
    "workspace: token {name!r} may not name {value!r}": "workspace：令牌 {name!r} 不得指定 {value!r}",
    "a token opens one workspace; leave `workspace` out": "一个令牌只能打开一个工作区；请省略 `workspace`",
    "{path}: token {name!r} may not state this": "{path}：令牌 {name!r} 不得声明此字段",
    "{path}: token {name!r} may not name {value!r}": "{path}：令牌 {name!r} 不得使用 {value!r}",
    "token {name!r} has no scope {scope!r}": "令牌 {name!r} 没有权限 {scope!r}",
    "`lba tokens list` shows what each token may name": "`lba tokens list` 会显示每个令牌可以使用的名称",
    "there is a token {name!r} already": "已经有令牌 {name!r}",
    "there is no token {name!r}": "没有令牌 {name!r}",
    "make one that has it: `lba tokens create NAME --scope {scope}`": "创建一个有此权限的令牌：`lba tokens create NAME --scope {scope}`",
    "`lba tokens revoke {name}` ends it, or choose another name": "用 `lba tokens revoke {name}` 废除它，或换一个名称",
    # models
    "no model {name!r} is declared": "没有声明模型 {name!r}",
    "model {name!r}: no provider {provider!r} is installed": "模型 {name!r}：没有安装提供方 {provider!r}",
    "declare it under `models` in langbot-agents.yaml; declared: {names}": "请在 langbot-agents.yaml 的 `models` 下声明；已声明：{names}",
    "it answered with a web page": "它返回了一个网页",
    "model {name!r} broke off before the end of its answer": "模型 {name!r} 的回答中途断开",
    "model {name!r} gave no answer": "模型 {name!r} 没有给出回答",
    "model {name!r} cannot be reached at {url}": "无法在 {url} 连接模型 {name!r}",
    "model {name!r} failed: {cause}": "模型 {name!r} 失败：{cause}",
    "model {name!r} refused the key ({status}); check its api_key": "模型 {name!r} 拒绝了密钥（{status}），请检查 api_key",
    "model {name!r}: the account has no quota left": "模型 {name!r}：账户额度已用尽",
    "model {name!r} takes no more requests just now": "模型 {name!r} 暂时不再接受请求",
    "the conversation is too long for model {name!r}": "对话对模型 {name!r} 来说太长",
    "model {name!r} is not known there: {cause}; check model and base_url": "那里不认识模型 {name!r}：{cause}，请检查 model 与 base_url",
    "model {name!r} did not answer in time": "模型 {name!r} 没有按时回答",
    "model {name!r} has a fault of its own ({status})": "模型 {name!r} 自身出错（{status}）",
    "model {name!r} refused the request ({status}): {cause}": "模型 {name!r} 拒绝了请求（{status}）：{cause}",
    # gateway, dispatcher, orchestrator
    "{path}: {message}, got {value}": "{path}：{message}，实际是 {value}",
    "`lba events sample message.received` shows a whole event; `lba schema AgentEventEnvelope` every field": (
        "`lba events sample message.received` 显示完整事件；`lba schema AgentEventEnvelope` 列出所有字段"
    ),
    "the host is stopping": "主机正在停止",
    "{count} events wait, which is all this host takes": "已有 {count} 个事件在等待，达到主机上限",
    "try again later, or raise limits.max_pending": "请稍后再试，或调高 limits.max_pending",
    "cause.depth {depth} is over {limit}": "cause.depth 为 {depth}，超过 {limit}",
    "the message is the bot's own": "这是机器人自己的消息",
    "it waited longer than flow.max_wait": "等待时间超过 flow.max_wait",
    "another event of the conversation was under way": "同一会话的另一个事件正在处理",
    "{count} events waited already": "已有 {count} 个事件在等待",
    "a newer event took its place": "较新的事件取代了它",
    "the event had expired": "事件已过期",
    "the runner raised an exception": "运行器抛出了异常",
    "no end within {limit:g} s": "{limit:g} 秒内没有结束",
    "no result for {limit:g} s": "{limit:g} 秒没有结果",
    "run {run_id} was stopped with the host": "运行 {run_id} 随主机一起停止",
    "the host stopped while it ran; what was shown may be incomplete": (
        "运行期间主机停止了；已显示的内容可能不完整"
    ),
    "a fault in the host; see its log": "主机内部故障；请查看主机日志",
    "the binding or its runner is no longer there": "绑定或它的运行器已不存在",
    "the host stopped while this was sent; whether it arrived is not known": (
        "发送时主机停止了；不清楚是否送达"
    ),
    "surface {name!r} is not configured": "没有配置投递面 {name!r}",
    "surface {name!r} did not answer in time": "投递面 {name!r} 没有及时回应",
    "more than {limit} results": "结果超过 {limit} 条",
    "more than {limit} bytes of output": "输出超过 {limit} 字节",
    "the runner ended without any output": "运行器结束时没有任何输出",
    "unknown type {type!r} is ignored": "忽略未知类型 {type!r}",
    "the message has no content": "消息没有内容",
    "state scope {scope!r} is not open to this run": "此运行不能使用状态范围 {scope!r}",
    "the value of {key!r} is over {limit} bytes": "{key!r} 的值超过 {limit} 字节",
    "{size} bytes, at most {limit} are allowed": "{size} 字节，最多允许 {limit}",
    "a result is an AgentRunResult or an object, got {kind}": (
        "结果应为 AgentRunResult 或对象，实际是 {kind}"
    ),
    "a result came after the end and is ignored": "结束之后又来了结果，已忽略",
    "state key {key!r} is not at version {version}": "状态键 {key!r} 的版本不是 {version}",
    "rounds is 1 to 100, got {rounds}": "rounds 应为 1 到 100，实际是 {rounds}",
    "{cursor!r} is not a cursor of ours": "{cursor!r} 不是本机给出的游标",
    "a state key has 1 to 255 characters": "状态键为 1 到 255 个字符",
    "run {run_id} has ended": "运行 {run_id} 已结束",
    "{resource}.{verb} is not granted; the manifest must ask for it and the binding allow it": (
        "{resource}.{verb} 未获授权；需要清单申请并由绑定允许"
    ),
    "run() gave {kind}, not an async generator; write it with `yield`": (
        "run() 返回了 {kind}，不是异步生成器；请用 `yield` 编写"
    ),
    # what users of a bot read
    "Something went wrong. Please try again later.": "出了点问题，请稍后再试。",
    "There is no answer to this.": "这条消息没有回答。",
    # commands
    "{name!r} is no event type of the catalogue": "{name!r} 不是目录中的事件类型",
    "`lba events sample` lists the event types": "`lba events sample` 列出事件类型",
    "a {kind} document in a test file": "测试文件中混有 {kind} 文档",
    "{path}: there is no such file or folder": "{path}：没有这个文件或目录",
    "{documents} in {files}": "{files}，{documents}",
    "none; its defaults are used": "没有，使用默认设置",
    "root document": "根文档",
    "nothing to check: no file holds a document": "没有可检查的内容：没有文件包含文档",
    "{count} left out": "{count} 个被排除在外",
    "runner {name} cannot be used": "runner {name} 不可用",
    "error": "错误",
    "warning": "警告",
    "Make a project that runs.": "创建一个可以运行的项目。",
    "Run the host.": "运行主机。",
    "Check the root document and the bindings.": "检查根文档和绑定。",
    "Explain which binding answers an event, and why the others do not.": (
        "说明哪个绑定回答一个事件，以及其他绑定为什么不回答。"
    ),
    "Send one event and show the reply as it comes.": "发送一个事件，并实时显示回复。",
    "The event log, and the catalogue of event types.": "事件日志和事件类型目录。",
    "The runners that are installed.": "已安装的 runner。",
    "Events in, bindings decide, runners answer: agents by configuration.": (
        "事件进来，绑定决定，runner 回答：用配置构建智能体。"
    ),
    "[OPTIONS] COMMAND …": "[选项] 命令 …",
    "Usage: ": "用法：",
    "Commands": "命令",
    "Make a project, then look around in it.": "创建一个项目，然后进去看看。",
    "See two events answered, then stop.": "看两个事件得到回答，然后结束。",
    "Say something to the bot, and watch its answer come.": "对机器人说句话，看它的回答逐渐出现。",
    "Show the version.": "显示版本。",
    "there is no command {name!r}{hint}": "没有命令 {name!r}{hint}",
    "List the events of the log, newest first.": "列出日志中的事件，最新的在前。",
    "Show an event and all that became of it.": "显示一个事件及其全部结果。",
    "Print a sample event, or list the event types.": "打印样例事件，或列出事件类型。",
    "List the runners, and why one cannot be used.": "列出 runner，以及某个 runner 为什么不可用。",
    "{count} document": "{count} 个文档",
    "{count} documents": "{count} 个文档",
    "{count} file": "{count} 个文件",
    "{count} files": "{count} 个文件",
    "{count} test file": "{count} 个测试文件",
    "{count} test files": "{count} 个测试文件",
    "{count} runner": "{count} 个 runner",
    "{count} runners": "{count} 个 runner",
    "{count} binding": "{count} 个绑定",
    "{count} bindings": "{count} 个绑定",
    "{count} error": "{count} 个错误",
    "{count} errors": "{count} 个错误",
    "{count} warning": "{count} 个警告",
    "{count} warnings": "{count} 个警告",
    "`lba events sample message.received` shows a whole event": (
        "`lba events sample message.received` 显示一个完整的事件"
    ),
    "`lba events sample` lists the event types; a file or `-` works too": (
        "`lba events sample` 列出事件类型；也可以给出文件或 `-`"
    ),
    "{name!r} is no event type of the catalogue, no file, and no event of the log": (
        "{name!r} 既不是目录中的事件类型，也不是文件，也不是日志中的事件"
    ),
    "{name!r} is no event type of the catalogue, and no file": "{name!r} 既不是目录中的事件类型，也不是文件",
    "{name}: there is no such file": "{name}：没有这个文件",
    "{name}: an event is a mapping": "{name}：事件应为映射",
    "{name}: a CloudEvent; this command reads events in our own form": (
        "{name}：这是 CloudEvent；本命令读取我们自己格式的事件"
    ),
    "{name}: not an event": "{name}：不是事件",
    "{name}: one event is wanted, found {count}": "{name}：需要恰好一个事件，找到 {count} 个",
    "EVENT is `-`, but nothing is piped in": "EVENT 是 `-`，但没有管道输入",
    "{path}: {cause}": "{path}：{cause}",
    "post it to /v1/events as application/cloudevents+json": (
        "请以 application/cloudevents+json 提交到 /v1/events"
    ),
    "pipe an event in, or name one": "请通过管道输入一个事件，或写出事件名",
    "{name}: nested too deeply": "{name}：嵌套太深",
    "{place}: not valid JSON: {cause}": "{place}：不是有效的 JSON：{cause}",
    "--set {name}: there is no place for {key!r}": "--set {name}：那里放不下 {key!r}",
    "--set {name}: this is not a path": "--set {name}：这不是路径",
    "--set {name}: the list there has {count} entries": "--set {name}：那里的列表有 {count} 项",
    "--set {written!r} has no `=`": "--set {written!r} 缺少 `=`",
    "--set {name}: an event has no {key!r} there": "--set {name}：事件在这里没有 {key!r}",
    "write for example --set actor.actor_id=42": "例如写成 --set actor.actor_id=42",
    "it has {names}": "它有 {names}",
    "It reads the store beside a running host, and changes nothing.": (
        "在运行中的主机旁边读取存储，不作任何修改。"
    ),
    "How many. [default: 20]": "数量。[默认：20]",
    "Only this event type.": "只列出这个事件类型。",
    "Only events with this decision.": "只列出有此决策的事件。",
    "Older than this place in the log.": "比日志中的这个位置更早。",
    "Newer than this place in the log, oldest first.": "比日志中的这个位置更晚，最早的在前。",
    "Workspace. [default: default]": "工作区。[默认：default]",
    "give --before or --after, not both": "--before 和 --after 只能给出一个",
    "more: {option}": "还有更多：{option}",
    "What came in and was taken by nobody.": "哪些事件进来了却没有绑定接收。",
    "The last five messages, for a program.": "最近五条消息，供程序读取。",
    "Print the sample event of a type, or list the types of the catalogue.": (
        "打印某个类型的样例事件，或列出目录中的类型。"
    ),
    "An event type, such as message.received.": "事件类型，例如 message.received。",
    "text lists the types; a sample is printed as json or yaml. [default: json with TYPE, else text]": (
        "text 列出类型；样例以 json 或 yaml 打印。[默认：给出 TYPE 时为 json，否则为 text]"
    ),
    "Every event type and what it is.": "所有事件类型及其含义。",
    "A whole event, to change and to send.": "一个完整的事件，可以修改后发送。",
    "The same as YAML.": "同样的内容，YAML 格式。",
    "Show an event and all that became of it: decision, dispatches, runs, deliveries.": (
        "显示一个事件及其全部结果：决策、派发、运行、投递。"
    ),
    "It shows what was recorded. Why each binding was or was not chosen is computed by `lba "
    "route`, with the bindings as they are now.": (
        "显示的是当时的记录。每个绑定为什么被选中或没被选中，由 `lba route` 按现在的绑定计算。"
    ),
    "The event's uid, or its id.": "事件的 uid 或 id。",
    "By the uid that the host gave it.": "用主机给它的 uid。",
    "By the id that its source gave it, for a program.": "用来源给它的 id，供程序读取。",
    "Nobody answers: the event would be recorded as unmatched.": "没有绑定回答：事件会记录为 unmatched。",
    "after what is under way in {place}": "排在 {place} 正在进行的运行之后",
    "active {window}; now it is {now}": "生效时间 {window}；现在是 {now}",
    "decided for {moment}, bindings {digest}": "按 {moment} 决定，绑定集 {digest}",
    "Nobody answers: only observers take it.": "没有绑定回答：只有观察者接收。",
    " answers with {runner}": " 用 {runner} 回答",
    "by itself": "单独运行",
    "at once, beside others of {place}": "立即运行，与 {place} 的其他运行并行",
    "dropped while another of {place} is under way": "{place} 有运行在进行时被丢弃",
    "(no id)": "（无 id）",
    "{leg} is false": "{leg} 为 false",
    "{leg} fails: {reason}": "{leg} 出错：{reason}",
    "sample of the catalogue": "目录中的样例",
    "from stdin": "来自标准输入",
    "workspace {name}": "工作区 {name}",
    "bot {name}": "机器人 {name}",
    "thread {name}": "话题 {name}",
    "about a {kind}": "关于 {kind}",
    "{count} by event type": "事件类型剩 {count}",
    "{count} by scope": "范围剩 {count}",
    "{count} by filters": "过滤剩 {count}",
    "{count} active now": "此刻生效 {count}",
    " observes with {runner}": " 用 {runner} 旁观",
    " takes it and says nothing (discard)": " 接收但不作回应（discard）",
    "but": "但是",
    "delivered": "投递",
    "before": "先于",
    "{binding}: {why}": "{binding}：{why}",
    "its own state ({scopes})": "它自己的状态（{scopes}）",
    "… and {count} more: `--all` lists them": "……还有 {count} 个：`--all` 全部列出",
    "takes {patterns}": "接收 {patterns}",
    "scope.{field} wants {wanted}; it is {actual}": "scope.{field} 要求 {wanted}，实际是 {actual}",
    "enabled: false": "enabled: false（已停用）",
    "from {moment}": "自 {moment} 起",
    "until {moment}": "到 {moment} 为止",
    "the loop guard starts nothing: {reason}": "循环保护不会启动运行：{reason}",
    "granted": "授权",
    "order": "排队",
    "All others": "其他绑定",
    "scope.{field} wants {wanted}; the event has none": "scope.{field} 要求 {wanted}，事件没有这个值",
    " or ": " 或 ",
    "to {target} on {surface}": "到 {surface} 的 {target}",
    "a fault of langbot-agents: {summary}": "langbot-agents 内部故障：{summary}",
    "error: ": "错误：",
    "`{command} --help` shows how it is used": "`{command} --help` 显示用法",
    "there is no option {name!r}{hint}": "没有选项 {name!r}{hint}",
    "{name} is missing": "缺少 {name}",
    "option {name!r} needs a value": "选项 {name!r} 需要一个值",
    "its details are in {path}; `--debug` shows them here": "详细信息在 {path}；`--debug` 会直接显示",
    "option {name!r} takes no value": "选项 {name!r} 不带值",
    "Show this help.": "显示本帮助。",
    "Options": "选项",
    "[OPTIONS]": "[选项]",
    "Arguments": "参数",
    "Examples": "示例",
    "there is no place for {words!r}": "多余的参数 {words!r}",
    "Make a project that runs: a root document, example bindings, a test file.": (
        "创建一个可以运行的项目：根文档、示例绑定、测试文件。"
    ),
    "Nothing is ever overwritten: where a file is there already, nothing is written at all.": (
        "绝不覆盖：只要有一个文件已经存在，就什么都不写。"
    ),
    "Folder of the project; it is made if need be.": "项目目录；不存在时会创建。",
    "A new folder with a project in it.": "一个新目录，里面是项目。",
    "The same in this folder.": "在当前目录创建。",
    "there is no event {name!r} in the log": "日志中没有事件 {name!r}",
    "event_id {name!r} is that of {count} events": "event_id {name!r} 属于 {count} 个事件",
    "`lba events list` shows what is there": "`lba events list` 列出已有的事件",
    "give one of {names}": "请给出其中之一：{names}",
    "received": "接收时间",
    "outcome": "结果",
    "event type": "事件类型",
    "where": "位置",
    "uid": "uid",
    "undecided": "未决定",
    "event id": "事件 id",
    "workspace": "工作区",
    "bot": "机器人",
    "conversation": "会话",
    "actor": "发起者",
    "subject": "对象",
    "data": "数据",
    "none yet: the next start of the host makes it": "还没有：主机下次启动时作出",
    "decision": "决策",
    "stopped by a hook: {reason}": "被钩子阻止：{reason}",
    "attempt {number}": "第 {number} 次尝试",
    "no events": "没有事件",
    "source": "来源",
    "dispatches": "派发",
    "runs": "运行",
    "deliveries": "投递记录",
    "--at {text!r} is not a time with a zone": "--at {text!r} 不是带时区的时间",
    "write for example 2026-03-02T09:00:00+08:00, 2026-03-02T01:00:00Z or 1772413200": (
        "例如写成 2026-03-02T09:00:00+08:00、2026-03-02T01:00:00Z 或 1772413200"
    ),
    "both were answered": "两个事件都得到了回答",
    "not both were answered": "并非两个事件都得到了回答",
    "the others: {counts}": "其他绑定：{counts}",
    "The root document or its folder. [default: $LANGBOT_AGENTS_CONFIG, else this folder]": (
        "根文档或其目录。[默认：$LANGBOT_AGENTS_CONFIG，否则当前目录]"
    ),
    "Show logs, and the whole of an unexpected fault.": "显示日志，以及意外故障的全部信息。",
    "How the result is printed: text for people, json for programs. [default: text]": (
        "结果的输出方式：text 供人阅读，json 供程序读取。[默认：text]"
    ),
    "surface {surface!r} does not run here; `lba send` shows the answer itself": (
        "出口 {surface!r} 没有在这里运行；`lba send` 会自己显示回答"
    ),
    "surface {surface!r} cannot stream: one message, when it is whole": (
        "出口 {surface!r} 不能流式输出：完整后作为一条消息发出"
    ),
    "an observer's output is recorded, never delivered": "观察者的输出只记录，从不投递",
    "its delivery_policy delivers nothing": "它的 delivery_policy 不投递任何内容",
    "the event has no reply target, so nothing is delivered": "事件没有回复目标，所以不投递任何内容",
    "only by its name: {better!r} sorts before {worse!r}": "仅按名称：{better!r} 排在 {worse!r} 之前",
    "priority {better} over {worse}": "优先级 {better} 高于 {worse}",
    "its scope.{field} names {better}, the other's {worse}": (
        "它的 scope.{field} 指定{better}，另一个指定{worse}"
    ),
    "its event type {better!r} is closer than {worse!r}": "它的事件类型 {better!r} 比 {worse!r} 更贴近",
    "anything": "任意值",
    "a pattern": "一个通配",
    "several values": "多个值",
    "one value": "一个值",
    "`lba events list` shows whether the event is in the log": "`lba events list` 可以看到事件是否在日志中",
    "the host refused: {detail}": "主机拒绝了：{detail}",
    "{url}: the connection broke: {cause}": "{url}：连接中断：{cause}",
    "{url}: the host ended before the reply did": "{url}：回复还没结束，主机就停止了",
    "{binding} {status}: {why}": "{binding} {status}：{why}",
    "observed: nobody answers it": "observed：没有绑定回答，只有观察者接收",
    "unmatched: nobody answers it": "unmatched：没有绑定回答",
    "{binding} completed": "{binding} 已完成",
    "discarded by {binding}: there is no answer, on purpose": "被 {binding} 丢弃：有意不作回答",
    "{binding} was chosen, but not run: {why}": "选中了 {binding}，但没有运行：{why}",
    "{binding} completed, but not delivered: {why}": "{binding} 已完成，但没有投递：{why}",
    "(this replaces it)": "（以下内容取代上文）",
    "a repeat of {uid}: it does not run again; this is its reply": (
        "与 {uid} 重复：不会再次运行；这是当时的回复"
    ),
    "Explain which binding answers an event, and why each of the others does not.": (
        "说明哪个绑定回答一个事件，以及其他每个绑定为什么不回答。"
    ),
    "It asks the same router as the host, needs no running host, and starts nothing. A filter "
    "that fails is shown with the values it looked at.": (
        "使用与主机相同的路由器，不需要运行中的主机，也不会启动任何东西。未通过的过滤条件会连同它"
        "所看的值一起显示。"
    ),
    "An event type (its sample is taken), a JSON or YAML file, `-` for stdin, or an event of "
    "the log by its uid or id.": (
        "事件类型（使用其样例）、JSON 或 YAML 文件、`-` 表示标准输入，或日志中事件的 uid 或 id。"
    ),
    "Decide for this time: RFC 3339 with a zone, or Unix seconds. [default: now]": (
        "按这个时间决定：带时区的 RFC 3339，或 Unix 秒。[默认：现在]"
    ),
    "Change a field of the event; may be given again. VALUE is JSON, else text.": (
        "修改事件的一个字段，可重复给出。VALUE 是 JSON，否则按文字处理。"
    ),
    "List every binding, also where there are many.": "列出所有绑定，即使数量很多。",
    "Workspace whose log is searched. [default: default]": "在哪个工作区的日志中查找。[默认：default]",
    "The decision on a sample of the catalogue.": "对目录中样例的决策。",
    "The sample with another bot, at another time.": "换一个机器人、换一个时间的样例。",
    "An event from a file, with stable reason codes for programs.": (
        "文件中的事件，带有供程序读取的稳定原因代码。"
    ),
    "runner": "runner",
    "alias": "别名",
    "package": "软件包",
    "state": "状态",
    "List the runners that are installed: what to write as runner_id, and why one cannot be used.": (
        "列出已安装的 runner：runner_id 可以写什么，以及某个 runner 为什么不可用。"
    ),
    "A runner comes with a Python package. A package that did not come with langbot-agents is "
    "imported only if `plugins.in_process` of the root document names it.": (
        "runner 来自 Python 软件包。不随 langbot-agents 提供的软件包，只有在根文档的 "
        "`plugins.in_process` 中写出才会被导入。"
    ),
    "What can be used.": "可以使用的 runner。",
    "With the settings each one takes, for a program.": "连同每个 runner 的设置项，供程序读取。",
    "Send one event, and show the reply as it comes.": "发送一个事件，并实时显示回复。",
    "It goes to the running host of this project, if there is one; else to a host in this "
    "process, which ends with the command. The reply goes to stdout, what became of the event "
    "to stderr. A sample of the catalogue is sent as a new event each time; a file is sent as "
    "it is, so that a repeat of its event_id does not run again.\n\nThe exit code is 0 when "
    "it ended well, also where nobody answers, and 1 when the run failed.": (
        "如果本项目有运行中的主机，就发给它；否则发给本进程内的主机，命令结束时它也结束。回复写到 "
        "stdout，事件的结果写到 stderr。目录中的样例每次都作为新事件发送；文件按原样发送，因此 "
        "event_id 重复时不会再次运行。\n\n正常结束时退出码为 0，没有绑定回答时也是 0；运行失败时"
        "为 1。"
    ),
    "An event type (its sample is sent), a JSON or YAML file, or `-` for stdin.": (
        "事件类型（发送其样例）、JSON 或 YAML 文件，或 `-` 表示标准输入。"
    ),
    "Send a message with this text instead of EVENT.": "不用 EVENT，而是发送一条内容为此的消息。",
    "Who writes the message of --text. [default: me]": "--text 的消息由谁发出。[默认：me]",
    "Where it is written, such as group_1. [default: person_ACTOR]": (
        "消息发在哪里，例如 group_1。[默认：person_ACTOR]"
    ),
    "Use a host in this process, even if one runs.": "使用本进程内的主机，即使已有主机在运行。",
    "Say something, as a person in a private chat.": "以私聊中的人的身份说句话。",
    "The sample of an event that is not a message.": "一个不是消息的事件的样例。",
    "An event from stdin, the result as JSON.": "从标准输入读取事件，结果为 JSON。",
    "give either EVENT or --text": "EVENT 和 --text 必须给出且只给出一个",
    "stopped; the event is on record, and the next start of the host goes on with it": (
        "已停止；事件已有记录，主机下次启动时会继续处理"
    ),
    'for example `lba send message.received` or `lba send --text "hello"`': (
        '例如 `lba send message.received` 或 `lba send --text "hello"`'
    ),
    "--as and --in go with --text": "--as 和 --in 要与 --text 一起使用",
    "for EVENT write --set actor.actor_id=… or --set conversation_id=…": (
        "对 EVENT 请写 --set actor.actor_id=… 或 --set conversation_id=…"
    ),
    "Run the host: take events in over HTTP, let the bindings decide, run the runners, "
    "deliver the replies.": ("运行主机：通过 HTTP 接收事件，由绑定决定，运行 runner，投递回复。"),
    "It runs until Ctrl-C or SIGTERM. An event that is acknowledged is on disk; what a crash "
    "left is taken up at the next start.\n\nThe exit code is 78 when it cannot start: the "
    "root document is invalid, the port is taken, or another host holds the store.": (
        "一直运行到 Ctrl-C 或 SIGTERM。已确认的事件都在磁盘上；崩溃时未完成的工作在下次启动时继续。\n\n"
        "无法启动时退出码为 78：根文档无效、端口被占用，或存储被另一个主机占用。"
    ),
    "Print each decision, and log more.": "打印每个决策，并输出更多日志。",
    "Send two sample events to a host in this process, show what becomes of them, and end.": (
        "向本进程内的主机发送两个样例事件，显示结果，然后结束。"
    ),
    "Address to listen on; this version takes loopback only. [default: server.host]": (
        "监听地址；此版本只支持本机回环地址。[默认：server.host]"
    ),
    "Port; 0 takes a free one. [default: server.port]": "端口；0 表示任选空闲端口。[默认：server.port]",
    "The project in this folder.": "当前目录的项目。",
    "On any free port, each decision printed as it is made.": "使用任一空闲端口，并打印每个决策。",
    "No server: two sample events, their decisions and replies, then the end.": (
        "不启动服务器：两个样例事件、它们的决策和回复，然后结束。"
    ),
    "{count} live": "{count} 个在用",
    "answers at {url}": "已在 {url} 就绪",
    ", {count} left out: `lba validate` says why": "，{count} 个被排除在外：`lba validate` 说明原因",
    "(Ctrl-C ends it)": "（按 Ctrl-C 结束）",
    "Try, in another terminal:": "在另一个终端里试试：",
    "bindings": "绑定",
    "runners": "runner",
    "store": "存储",
    "{count} started again": "{count} 个重新启动",
    "{count} ended as interrupted": "{count} 个以中断结束",
    "{count} that waited": "{count} 个等待中的",
    "{count} not decided before": "{count} 个此前未决定的",
    "{count} replies that were being sent": "{count} 条正在发送的回复",
    "taken up": "接手",
    "{folder}: these files are there already: {names}": "{folder}：这些文件已经存在：{names}",
    "check it": "检查项目",
    "see who would answer a message, and why": "看看谁会回答一条消息，为什么",
    "say something, and watch the answer come": "说句话，看回答逐渐出现",
    "run the host": "运行主机",
    "Next:": "接下来：",
    "choose another folder, or move them away; nothing was written": (
        "请换一个目录，或移走这些文件；什么都没有写入"
    ),
    "choose a folder that you may write to": "请选择有写权限的目录",
    "Check the root document and the bindings, as the host does at its start.": (
        "像主机启动时那样检查根文档和绑定。"
    ),
    "Every finding names its place, the cause and what to do. Without PATH the whole project "
    "is checked, its test files too. PATH may be a file or folder of bindings, which is then "
    "checked by itself with the settings of the root document, or the root document or folder "
    "of another project.\n\nThe exit code is 0 when all is well, 1 when there are errors, and "
    "2 when there is nothing to check.": (
        "每个问题都会指出位置、原因和处理办法。不给 PATH 时检查整个项目，包括测试文件。PATH 可以"
        "是绑定文件或目录，这时只检查它本身，并使用根文档的设置；也可以是另一个项目的根文档或目录。\n\n"
        "一切正常时退出码为 0，有错误时为 1，没有可检查的内容时为 2。"
    ),
    "Files or folders of bindings, or another project.": "绑定文件或目录，或另一个项目。",
    "Fail where there are warnings.": "有警告时也算失败。",
    "One file.": "一个文件。",
    "For CI: warnings count, findings as JSON.": "用于 CI：警告也算，问题以 JSON 输出。",
    " (observed by {names})": "（由 {names} 旁观）",
    "{value!r} is unknown; did you mean {near!r}?": "未知的值 {value!r}；是否想写 {near!r}？",
    "{value!r} is unknown; allowed: {names}": "未知的值 {value!r}；可用：{names}",
    "{value!r} is not a whole number from {low} to {high}": "{value!r} 不是 {low} 到 {high} 之间的整数",
    # http
    "give Unix seconds": "请给出 Unix 秒数",
    "send YAML as application/yaml": "请以 application/yaml 发送 YAML",
    "the body is empty; send binding documents as YAML": "请求体为空；请以 YAML 发送绑定文档",
    "there is no binding {name!r}": "没有绑定 {name!r}",
    "binding {name!r} serves other workspaces as well": "绑定 {name!r} 也服务于其他工作区",
    "binding {name!r} is quarantined: {reason}": "绑定 {name!r} 已被隔离：{reason}",
    "`lba validate` shows what is wrong": "`lba validate` 会显示问题所在",
    "there is no conversation {key!r}": "没有会话 {key!r}",
    "cursor: it is not one that this question was answered with": "cursor：它不是针对此查询给出的游标",
    "begin anew without `cursor`, and pass on `next_cursor` as it is": (
        "请不带 `cursor` 重新开始，并原样传回 `next_cursor`"
    ),
    "not a cursor of ours": "不是本机给出的游标",
    "there is no such parameter": "没有这个参数",
    "this address takes: {names}": "此地址接受：{names}",
    "send `Authorization: Bearer TOKEN`; `lba tokens create` makes one": (
        "请发送 `Authorization: Bearer TOKEN`；用 `lba tokens create` 创建令牌"
    ),
    "send application/json (curl: --json)": "请发送 application/json（curl 用 --json）",
    "{value!r} is not a name": "{value!r} 不是合法名称",
    "server.host: {host!r} is not on this machine's loopback, and there is no token yet": (
        "server.host：{host!r} 不是本机回环地址，而且还没有任何令牌"
    ),
    "make a token first: `lba tokens create NAME`; or listen on 127.0.0.1": (
        "请先创建令牌：`lba tokens create NAME`；或监听 127.0.0.1"
    ),
    "a CloudEvent is an object, got {kind}": "CloudEvent 是一个对象，收到的是 {kind}",
    "{value!r} is not spoken here; send 1.0": "这里不支持 {value!r}，请发送 1.0",
    "{value!r} has no time zone": "{value!r} 没有时区",
    "give data or data_base64, not both": "data 与 data_base64 只能给一个",
    "the body is not JSON: {cause}": "请求体不是 JSON：{cause}",
    "a CloudEvent needs the attribute {name!r} as text": "CloudEvent 需要文本属性 {name!r}",
    "with our dataschema the data is an envelope": "使用我们的 dataschema 时，data 应为信封",
    "{value!r} is not an RFC 3339 time": "{value!r} 不是 RFC 3339 时间",
    "it is not base64": "它不是 base64",
    "send one JSON object in UTF-8": "请发送一个 UTF-8 编码的 JSON 对象",
    "the text is not UTF-8": "文本不是 UTF-8",
    "there is no event {name!r}": "没有事件 {name!r}",
    "give 1 to {limit}": "请给出 1 到 {limit}",
    "event {uid} is not decided yet": "事件 {uid} 尚未决定",
    "event_id {name!r} names {count} events": "event_id {name!r} 对应 {count} 个事件",
    "batches are not taken; send one event a request": "不接受批量，请每次请求发送一个事件",
    "event: an event is an object, got {kind}": "event：事件是一个对象，收到的是 {kind}",
    "event_id: {stated!r} and Idempotency-Key {key!r} differ; send one": "event_id：{stated!r} 与 Idempotency-Key {key!r} 不同，请只发送一个",
    "give 0 to {limit:g} seconds": "请给出 0 到 {limit:g} 秒",
    "{value!r} is not a number of ours": "{value!r} 不是我们给出的数字",
    "{media!r} is not taken": "不接受 {media!r}",
    "send application/json (curl: --json) or a CloudEvent": "请发送 application/json（curl 用 --json）或 CloudEvent",
    "the body is over {limit} bytes": "请求体超过 {limit} 字节",
    "send files by reference, or raise server.max_body_bytes": "请以引用方式发送文件，或调高 server.max_body_bytes",
    "host {host!r} is not served here": "这里不为主机名 {host!r} 提供服务",
    "origin {origin!r} may not call this host": "来源 {origin!r} 不得调用本主机",
    "a bearer token is needed": "需要 bearer 令牌",
    "the caller went away": "调用方已断开",
    "add it to server.allowed_hosts": "请把它加入 server.allowed_hosts",
    "add it to server.allowed_origins": "请把它加入 server.allowed_origins",
    "there is nothing at this address, or not for this method": "此地址没有内容，或不支持此方法",
    "the store cannot write now; nothing was acknowledged": "存储现在无法写入，没有确认任何内容",
    "cancelled over HTTP": "经 HTTP 取消",
    "there is no run {run_id!r}": "没有运行 {run_id!r}",
    "server: cannot listen on {host}:{port}: {cause}": "server：无法监听 {host}:{port}：{cause}",
    "choose another port: `--port`, `server.port` or LANGBOT_AGENTS__SERVER__PORT": "请换一个端口：`--port`、`server.port` 或 LANGBOT_AGENTS__SERVER__PORT",
    "a model that is not declared": "未声明的模型",
    "an event has at most {limit} files inside": "一个事件最多内含 {limit} 个文件",
    "this is no picture but {kind}": "这不是图片，而是 {kind}",
    "a data URL reads data:TYPE/SUBTYPE;base64,DATA": "data URL 的写法是 data:TYPE/SUBTYPE;base64,DATA",
    "the file is over {limit} bytes": "文件超过 {limit} 字节",
    "the file is empty": "文件是空的",
    "this is not base64": "这不是 base64",
    "provider 'openai' needs a package that is not installed: {name}": "提供方 'openai' 需要一个尚未安装的包：{name}",
    "pip install 'langbot-agents[openai]'": "pip install 'langbot-agents[openai]'",
    "no model {name!r} is declared; declare it under `models` in langbot-agents.yaml": (
        "没有声明模型 {name!r}；请在 langbot-agents.yaml 的 `models` 下声明"
    ),
    "model {name!r} is not granted; name it in the binding's runner_config or resource_policy": (
        "模型 {name!r} 未获授权；请在绑定的 runner_config 或 resource_policy 中写明"
    ),
    "model {name!r}: its provider has a fault": "模型 {name!r}：其提供方出现故障",
    "option {name!r} is not a runner's to set": "选项 {name!r} 不由运行器设置",
    "a model is asked with one message at least": "调用模型至少需要一条消息",
    "timeout is a number of seconds, got {value!r}": "timeout 是秒数，得到的是 {value!r}",
    "no time is left in this run": "本次运行已没有剩余时间",
    "the pictures are over {limit} bytes": "图片超过 {limit} 字节",
    "there is no picture {id}": "没有图片 {id}",
    "the Pipeline names no runner": "流水线没有指定运行器",
    "set ai.runner.id, or ai.runner.runner": "请设置 ai.runner.id 或 ai.runner.runner",
    "ai.runner.id is set, and decides": "已设置 ai.runner.id，以它为准",
    "this version has no runner {name!r} yet": "本版本还没有运行器 {name!r}",
    "it comes with a later version; until then use local-agent, or a package that offers this name": (
        "它将随后续版本提供；在此之前请使用 local-agent，或安装提供此名称的包"
    ),
    "a conversation does not expire in this version": "本版本中会话不会过期",
    "nothing to do": "无需处理",
    "this runner is not the one that is used": "未使用这个运行器",
    "it was decided before there was a query": "在有查询之前就已决定",
    "it stays with the host that made the query": "仍由产生查询的主机负责",
    "whoever reads the results shows them": "由读取结果的一方负责展示",
    "no part of a Pipeline that is known here": "不是此处已知的流水线部分",
    "see the runner's settings with `lba runners show local-agent`": (
        "用 `lba runners show local-agent` 查看该运行器的设置"
    ),
    "the runner has no such setting in this version": "本版本的运行器没有这项设置",
    "this version cannot use it: {cause}": "本版本无法使用它：{cause}",
    "change it": "请修改它",
    "it is no number from 0 to {limit}": "它不是 0 到 {limit} 的数字",
}
