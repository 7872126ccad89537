"""The names that events use in `metadata`, each described once."""

from typing import Any

from .model import MetadataField


def _field(en: str, zh: str, **more: Any) -> MetadataField:
    return MetadataField(description={"en_US": en, "zh_Hans": zh}, **more)


def _flag(en: str, zh: str) -> MetadataField:
    return _field(en, zh, type="boolean")


FIELDS = {
    # where it happened
    "platform_event": _field("The platform's own name of the event.", "平台自己的事件名。"),
    "chat_type": _field("Kind of conversation.", "会话类型。", values=("private", "group", "channel")),
    "chat_id": _field("The platform's chat id, where conversation_id does not show it.", "平台的聊天 ID。"),
    "channel": _field(
        "The platform's channel id, where conversation_id does not show it.", "平台的频道 ID。"
    ),
    "guild_id": _field("The server that the channel belongs to.", "频道所属的服务器。"),
    "sub_type": _field("The platform's finer kind of message.", "平台给出的消息子类型。"),
    "business_connection_id": _field(
        "Business account that the chat belongs to.", "聊天所属的商业账号连接。"
    ),
    # what a message is and quotes
    "mentions": _field(
        "Everybody mentioned, the bot included, in order.", "被提及的人，含机器人，按顺序。", type="array"
    ),
    "mentions_bot": _flag("Whether this bot is mentioned.", "是否提及本机器人。"),
    "mentions_all": _flag("Whether everybody is mentioned.", "是否提及全体成员。"),
    "reply_to": _field(
        "Quoted message; null when its id is of no use.", "被引用的消息；ID 不可用时为空。", nullable=True
    ),
    "reply_to_bot": _flag("Whether the quoted message is the bot's own.", "被引用的是否为机器人自己的消息。"),
    "root_id": _field("Message that the chain of replies began with.", "回复链最初的消息。"),
    "quote_text": _field("Quoted text, where it comes along.", "随事件带来的引用原文。"),
    "media_group_id": _field("Album that the message is a part of.", "消息所属的相册。"),
    "sent_at": _field(
        "When the message was first sent, Unix seconds.", "消息最初的发送时间，Unix 秒。", type="number"
    ),
    "temporary": _flag("Whether it is a temporary chat through a group.", "是否为群内发起的临时会话。"),
    "anonymous_admin": _flag("Whether an administrator speaks as the group.", "是否为以群身份发言的管理员。"),
    "anonymous_flag": _field("What muting an anonymous member needs.", "禁言匿名成员时所需的标识。"),
    "author_signature": _field("Signature below a post of a channel.", "频道帖子的署名。"),
    "automatic_forward": _flag(
        "Whether a channel's post was passed on by itself.", "是否为频道帖子的自动转发。"
    ),
    "from_voice": _flag("Whether the text was recognised from speech.", "文本是否由语音识别得到。"),
    "message_author_id": _field("Author of the recalled message.", "被撤回消息的作者。"),
    "recall_type": _field("In which role it was recalled.", "以何种身份撤回。"),
    "reaction": _field("The emoji, or the platform's id of it.", "表情，或平台的表情 ID。"),
    "added": _flag("True when it was added, false when it was taken back.", "添加为真，取消为假。"),
    # opinions
    "feedback": _field("The opinion.", "评价。", values=("like", "dislike", "cancelled")),
    "comment": _field("What the person wrote about it.", "评价时写下的意见。"),
    "reasons": _field(
        "Reasons that were ticked, as the platform numbers them.", "勾选的原因，按平台编号。", type="array"
    ),
    # groups and people
    "member_id": _field("The member.", "该成员。"),
    "inviter_id": _field("Who invited.", "邀请人。"),
    "approver_id": _field("Who let the member in.", "批准入群的人。"),
    "kicked": _flag("True when somebody else removed the member.", "被他人移出为真。"),
    "duration": _field(
        "Length in seconds; null for ever.", "时长，单位秒；永久为空。", type="number", nullable=True
    ),
    "via": _field("The way in, such as `invite_link`.", "加入方式，例如 `invite_link`。"),
    "origin": _field(
        "Where the fact was read, such as `service_message`.", "信息来源，例如 `service_message`。"
    ),
    "name": _field("The new name.", "新名称。"),
    "bio": _field("What the applicant says of themselves in their profile.", "申请人资料中的自我介绍。"),
    "pending": _flag("Whether the invitation waits for an answer.", "邀请是否等待答复。"),
    "request_id": _field("What accepting or refusing needs.", "同意或拒绝时所需的标识。"),
    "request_sub_type": _field("The platform's kind of request.", "平台给出的请求类型。"),
    "scene": _field("Where the person came from.", "对方从何处而来。"),
    # buttons and what only one platform has
    "value": _field("Value that the pressed button carries.", "被点击按钮携带的值。", type="object"),
    "data": _field("Text that the pressed button carries.", "被点击按钮携带的文本。"),
    "event_key": _field("Key of the button or menu entry.", "按钮或菜单项的键。"),
    "task_id": _field("Id of the card.", "卡片的任务 ID。"),
    "callback_query_id": _field("What answering the click needs.", "应答点击时所需的标识。"),
    "enabled": _flag("Whether it was switched on.", "是否开启。"),
    "target_is_bot": _flag("Whether it is aimed at this bot.", "对象是否为本机器人。"),
    "migrate_to_chat_id": _field("Id under which the group lives on.", "群升级后的新 ID。"),
    # what the host makes itself
    "cron": _field("The cron expression.", "Cron 表达式。"),
    "timezone": _field("Zone that the cron expression is read in.", "Cron 表达式所用的时区。"),
    "due_time": _field("When it was due, Unix seconds.", "应触发的时间，Unix 秒。", type="number"),
    "ce_source": _field(
        "The CloudEvents source, where it came as a CloudEvent.", "以 CloudEvents 到达时的 source。"
    ),
    "action": _field("The platform action.", "平台动作。"),
    "status": _field(
        "How it ended.", "结局。", values=("executed", "failed", "unknown", "denied", "expired", "void")
    ),
    "approval_id": _field("The approval it waited for.", "所等待的审批。"),
    "result": _field("What the platform answered.", "平台的返回。", type="object"),
    "reason": _field("Why it ended so.", "如此结束的原因。"),
    "host_version": _field("Version of the host.", "宿主的版本。"),
    "bindings": _field("Number of bindings that are live.", "生效的绑定数量。", type="number"),
    "set_digest": _field("Digest of the set of bindings that is now live.", "当前生效绑定集合的摘要。"),
    "added_bindings": _field("Bindings that are new.", "新增的绑定。", type="array"),
    "changed_bindings": _field("Bindings that changed.", "有改动的绑定。", type="array"),
    "removed_bindings": _field("Bindings that are gone.", "移除的绑定。", type="array"),
    "quarantined": _field(
        "Bindings that stay out because of an error.", "因错误被隔离的绑定。", type="array"
    ),
    "distribution": _field("Installed package of the plugin.", "插件的安装包。"),
    "version": _field("Version of the package.", "安装包的版本。"),
    "error": _field("What failed, for people.", "失败的原因，供人阅读。"),
    "runners": _field("Runners that cannot be used now.", "因此不可用的运行器。", type="array"),
}
"""Key to what it is; the order is the order in which pages show them."""
