"""Event types about groups, friends, and the bot among them."""

from .define import CHAT, define

CONTRACTS = (
    define(
        "group.member_joined",
        title=("Member joined a group", "成员入群"),
        description=(
            "Somebody is now a member of a group. For the bot itself it is bot.invited_to_group.",
            "有人加入了群。机器人自己入群为 bot.invited_to_group。",
        ),
        actor=(
            "The new member, or the inviter where the platform says so",
            "新成员；平台给出邀请人时为邀请人",
        ),
        subject=("The membership, `<group>/<member>`", "成员关系，`<群>/<成员>`"),
        subject_types=("membership",),
        reply=True,
        metadata=(*CHAT, "member_id", "inviter_id", "approver_id", "via", "origin"),
    ),
    define(
        "group.member_left",
        title=("Member left a group", "成员退群"),
        description=(
            "Somebody is no longer a member of a group, by their own wish or not (`kicked`).",
            "有人不再是群成员，可能自行退出，也可能被移出（`kicked`）。",
        ),
        actor=("The member; who removed them when they were kicked", "该成员；被移出时为操作者"),
        subject=("The membership, `<group>/<member>`", "成员关系，`<群>/<成员>`"),
        subject_types=("membership",),
        reply=True,
        metadata=(*CHAT, "member_id", "kicked", "origin"),
    ),
    define(
        "group.member_banned",
        title=("Member muted in a group", "成员被禁言"),
        description=(
            "A member may not write any more, for a time or for ever.",
            "成员在一段时间内或永久不能发言。",
        ),
        actor=("Who did it, else the system", "操作者；未知时为系统"),
        subject=("The membership, `<group>/<member>`", "成员关系，`<群>/<成员>`"),
        subject_types=("membership",),
        reply=True,
        metadata=(*CHAT, "member_id", "duration"),
    ),
    define(
        "group.member_unbanned",
        title=("Member may write again", "成员解除禁言"),
        description=("A member who was muted may write again.", "被禁言的成员可以重新发言。"),
        actor=("Who did it, else the system", "操作者；未知时为系统"),
        subject=("The membership, `<group>/<member>`", "成员关系，`<群>/<成员>`"),
        subject_types=("membership",),
        reply=True,
        metadata=(*CHAT, "member_id"),
    ),
    define(
        "group.info_updated",
        title=("Group changed", "群信息变更"),
        description=("Name, picture or settings of a group changed.", "群的名称、头像或设置发生变化。"),
        actor=("Who changed it, else the system", "修改者；未知时为系统"),
        subject=("The group", "该群"),
        subject_types=("group",),
        reply=True,
        metadata=(*CHAT, "name"),
    ),
    define(
        "group.request_received",
        title=("Request to join a group", "入群申请"),
        description=(
            "Somebody asks to join a group that the bot manages. The text is their note, if they wrote one.",
            "有人申请加入机器人管理的群。文本为申请附言，没有则为空。",
        ),
        actor=("The applicant", "申请人"),
        subject=("The request; its id is what accepting needs", "该申请；其 ID 用于同意或拒绝"),
        subject_types=("request",),
        text="optional",
        metadata=(*CHAT, "request_id", "request_sub_type", "inviter_id", "via", "bio"),
    ),
    define(
        "friend.request_received",
        title=("Friend request", "好友申请"),
        description=(
            "Somebody wants to be a friend of the bot. The text is their note, if they wrote one.",
            "有人申请添加机器人为好友。文本为申请附言，没有则为空。",
        ),
        actor=("The applicant", "申请人"),
        subject=("The request; its id is what accepting needs", "该申请；其 ID 用于同意或拒绝"),
        subject_types=("request",),
        text="optional",
        metadata=(*CHAT, "request_id"),
    ),
    define(
        "friend.added",
        title=("Friend added", "新增好友"),
        description=(
            "A person and the bot can write to each other now: a friend, a follower, "
            "or somebody who unblocked it.",
            "对方与机器人可以互发消息：成为好友、关注，或解除屏蔽。",
        ),
        actor=("The person", "对方"),
        subject=("The person", "对方"),
        subject_types=("user",),
        reply=True,
        metadata=(*CHAT, "scene", "event_key"),
    ),
    define(
        "friend.removed",
        title=("Friend removed", "好友移除"),
        description=(
            "A person can no longer be written to: they unfollowed or blocked the bot, "
            "or ended the friendship.",
            "不能再给对方发消息：对方取消关注、屏蔽机器人或解除好友。",
        ),
        actor=("The person", "对方"),
        subject=("The person", "对方"),
        subject_types=("user",),
        metadata=CHAT,
    ),
    define(
        "bot.invited_to_group",
        title=("Bot invited to a group", "机器人受邀入群"),
        description=(
            "The bot is in a group now; or, with `pending` true, an invitation waits for an answer. "
            "A pending one has no reply target.",
            "机器人已入群；`pending` 为真时，邀请仍待答复，此时没有回复目标。",
        ),
        actor=("Who invited it, else the system", "邀请人；未知时为系统"),
        subject=("The group", "该群"),
        subject_types=("group",),
        reply=True,
        metadata=(*CHAT, "pending", "request_id", "inviter_id"),
    ),
    define(
        "bot.removed_from_group",
        title=("Bot removed from a group", "机器人被移出群"),
        description=(
            "The bot is no longer in a group, or the group is gone. Nothing can be sent there.",
            "机器人已不在群中，或群已解散。不能再向该群发送。",
        ),
        actor=("Who removed it, else the system", "操作者；未知时为系统"),
        subject=("The group", "该群"),
        subject_types=("group",),
        metadata=(*CHAT, "kicked"),
    ),
    define(
        "bot.muted",
        title=("Bot muted", "机器人被禁言"),
        description=(
            "The bot may not write in a group, for a time or for ever.",
            "机器人在群内被暂时或永久禁言。",
        ),
        actor=("Who did it, else the system", "操作者；未知时为系统"),
        subject=("The group", "该群"),
        subject_types=("group",),
        metadata=(*CHAT, "duration"),
    ),
    define(
        "bot.unmuted",
        title=("Bot may write again", "机器人解除禁言"),
        description=("The bot may write in a group again.", "机器人可以在群内重新发言。"),
        actor=("Who did it, else the system", "操作者；未知时为系统"),
        subject=("The group", "该群"),
        subject_types=("group",),
        reply=True,
        metadata=CHAT,
    ),
)
