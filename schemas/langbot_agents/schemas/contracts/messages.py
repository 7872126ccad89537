"""Event types about messages."""

from .define import CHAT, define

_QUOTES = ("reply_to", "reply_to_bot", "root_id", "quote_text")
_MENTIONS = ("mentions", "mentions_bot", "mentions_all")
_SENDER = ("sub_type", "temporary", "anonymous_admin", "anonymous_flag", "author_signature")

CONTRACTS = (
    define(
        "message.received",
        title=("Message received", "收到消息"),
        description=(
            "Somebody wrote to the bot, or in a conversation that the bot reads. "
            "A message of only files has no text.",
            "有人给机器人发来消息，或在机器人可见的会话中发言。只含文件的消息没有文本。",
        ),
        actor=("The sender", "发送者"),
        subject=("The message", "该消息"),
        subject_types=("message",),
        text="expected",
        reply=True,
        metadata=(*CHAT, *_MENTIONS, *_QUOTES, *_SENDER, "media_group_id", "automatic_forward", "from_voice"),
    ),
    define(
        "message.edited",
        title=("Message edited", "消息被编辑"),
        description=(
            "A message got another text. It is not a new message: the text is what it says now.",
            "消息内容被修改。这不是新消息：文本为修改后的内容。",
        ),
        actor=("The sender, who edited", "编辑消息的发送者"),
        subject=("The edited message", "被编辑的消息"),
        subject_types=("message",),
        text="expected",
        reply=True,
        metadata=(*CHAT, *_MENTIONS, *_QUOTES, *_SENDER, "sent_at", "media_group_id"),
    ),
    define(
        "message.recalled",
        aliases=("message.deleted",),
        title=("Message recalled", "消息被撤回"),
        description=(
            "A message was taken back or deleted. Its text does not come along.",
            "消息被撤回或删除。事件不含原文。",
        ),
        actor=("Who recalled it, else the system", "撤回者；未知时为系统"),
        subject=("The recalled message", "被撤回的消息"),
        subject_types=("message",),
        reply=True,
        metadata=(*CHAT, "message_author_id", "recall_type"),
    ),
    define(
        "message.reaction",
        title=("Reaction to a message", "消息表情回应"),
        description=(
            "Somebody put an emoji on a message, or took it back. One event for each emoji.",
            "有人对消息添加或取消了表情回应。每个表情一个事件。",
        ),
        actor=("Who reacted", "作出回应的人"),
        subject=("The message", "被回应的消息"),
        subject_types=("message",),
        reply=True,
        metadata=(*CHAT, "reaction", "added"),
    ),
    define(
        "feedback.received",
        title=("Feedback received", "收到反馈"),
        description=(
            "Somebody rated an answer of the bot. A comment is metadata, not a message to answer.",
            "有人评价了机器人的回答。意见写在 metadata 中，不是待回复的消息。",
        ),
        actor=("Who gave it", "反馈者"),
        subject=("The feedback", "该反馈"),
        subject_types=("feedback",),
        metadata=(*CHAT, "feedback", "comment", "reasons"),
    ),
)
