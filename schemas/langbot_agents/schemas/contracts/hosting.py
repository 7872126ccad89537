"""Event types that timers, callers, forms and the host make, and the family of platform events."""

from .define import CHAT, define

CONTRACTS = (
    define(
        "schedule.triggered",
        title=("Timer", "定时触发"),
        description=(
            "A schedule of the root document is due. Its payload is `input.data`.",
            "根文档中的定时任务到点。其载荷在 `input.data`。",
        ),
        actor=("The system", "系统"),
        subject=("The schedule", "该定时任务"),
        subject_types=("schedule",),
        data=True,
        metadata=("cron", "timezone", "due_time"),
    ),
    define(
        "api.invoked",
        title=("API call", "接口调用"),
        description=(
            "A program called over HTTP. What it sent is `input.data`.",
            "程序通过 HTTP 调用。所发内容在 `input.data`。",
        ),
        actor=("The caller", "调用方"),
        subject=("The request", "该请求"),
        subject_types=("request",),
        data=True,
        metadata=(*CHAT, "ce_source"),
    ),
    define(
        "interaction.submitted",
        title=("Form sent back", "交互提交"),
        description=(
            "Somebody filled in a form or pressed a button that a run had shown. It is `input.interaction`.",
            "有人提交了运行所展示的表单或按钮。内容在 `input.interaction`。",
        ),
        actor=("Who sent it", "提交者"),
        subject=(
            "The interaction, or the message or card that showed it",
            "该交互，或展示它的消息、卡片",
        ),
        subject_types=("interaction", "message", "event"),
        interaction=True,
        reply=True,
        metadata=(*CHAT, "value", "data", "event_key", "task_id", "callback_query_id"),
    ),
    define(
        "action.completed",
        title=("Action ended", "动作完结"),
        description=(
            "A platform action that waited for approval came to its end. `cause` names the run that asked.",
            "等待审批的平台动作已有结局。`cause` 指出发起它的运行。",
        ),
        actor=("Who decided; the system when it expired", "审批人；过期时为系统"),
        subject=("The action; its id is the approval's", "该动作；其 ID 为审批的 ID"),
        subject_types=("action",),
        reply=True,
        metadata=("chat_type", "action", "status", "approval_id", "result", "reason", "error"),
    ),
    define(
        "system.started",
        title=("Host started", "宿主启动"),
        description=("The host is ready.", "宿主已就绪。"),
        actor=("The system", "系统"),
        subject=("The host", "宿主"),
        subject_types=("host",),
        metadata=("host_version", "bindings", "set_digest", "quarantined"),
    ),
    define(
        "system.config_changed",
        title=("Configuration changed", "配置变更"),
        description=(
            "Another set of bindings is live. Documents with errors stay out and are named.",
            "新的绑定集合已生效。有错误的文档不参与，并在事件中列出。",
        ),
        actor=("The system", "系统"),
        subject=("The configuration; its id is the digest of the set", "配置；其 ID 为集合摘要"),
        subject_types=("config",),
        metadata=("set_digest", "added_bindings", "changed_bindings", "removed_bindings", "quarantined"),
    ),
    define(
        "system.plugin_failed",
        title=("Plugin failed", "插件失败"),
        description=(
            "A plugin could not be used and was set aside, with the runners it brings.",
            "插件不可用，已连同其运行器被隔离。",
        ),
        actor=("The system", "系统"),
        subject=("The plugin", "该插件"),
        subject_types=("plugin",),
        metadata=("distribution", "version", "error", "runners"),
    ),
    define(
        "platform.<adapter>.<action>",
        pattern=r"^platform\.[a-z0-9_-]+(\.[a-z0-9_-]+){1,3}$",
        sample="platform.onebot.poke",
        title=("Platform event", "平台特有事件"),
        description=(
            "Anything that only one platform has, under the platform's own name for it.",
            "仅某个平台具有的事件，使用该平台自己的名称。",
        ),
        actor=("Who did it, else the system", "操作者；未知时为系统"),
        subject=("As fits the event", "视事件而定"),
        subject_types=(),
        reply=True,
        metadata=(
            *CHAT,
            *("sub_type", "target_is_bot", "enabled", "migrate_to_chat_id"),
            *("value", "data", "event_key", "task_id", "callback_query_id"),
        ),
    ),
)
