"""The project that `lba init` makes; the files beside this module, in two languages."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from ...errors import LangbotAgentsError
from ...texts import process_language, t
from ..options import Session

_NAMES = {"gitignore": ".gitignore", "env.example": ".env.example"}
"""Files that are packed under another name: in the checkout they would count as what they are."""


def project_files(language: str) -> dict[str, str]:
    """Path to text of every file of a new project, what its editor reads included."""
    from ..editor_schemas import FOLDER, editor_schemas

    top = files(__package__) / language
    schemas = {f"{FOLDER}/{name}": text for name, text in editor_schemas().items()}
    return dict(sorted({**dict(_walk(top, "")), **schemas}.items()))


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _walk(item, f"{prefix}{item.name}/")
        else:
            yield f"{prefix}{_NAMES.get(item.name, item.name)}", item.read_text("utf-8")


def make_project(session: Session, directory: str) -> int:
    """Write a new project, all of it or nothing. Raises `LangbotAgentsError` where a file is in the way."""
    folder = Path(directory)
    contents = project_files(process_language())
    in_the_way = [name for name in contents if (folder / name).exists() or (folder / name).is_symlink()]
    if in_the_way:
        raise LangbotAgentsError(
            t(
                "{folder}: these files are there already: {names}",
                folder=directory,
                names=", ".join(in_the_way),
            ),
            remedy=t("choose another folder, or move them away; nothing was written"),
        )
    try:
        for name, text in contents.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise LangbotAgentsError(
            t("{path}: {cause}", path=error.filename or directory, cause=error.strerror),
            remedy=t("choose a folder that you may write to"),
        ) from None
    _tell(session, folder, list(contents))
    return 0


def _tell(session: Session, folder: Path, names: list[str]) -> None:
    from ..loading import own_command

    lba = own_command(Session())
    enter = [] if folder.resolve() == Path.cwd() else [f"cd {folder}"]
    steps = [
        *((command, "") for command in enter),
        (f"{lba} validate", t("check it")),
        (f"{lba} route message.received", t("see who would answer a message, and why")),
        (f"{lba} test", t("run the tests beside the bindings")),
        (f'{lba} send --text "hello"', t("say something, and watch the answer come")),
        (f"{lba} serve", t("run the host")),
    ]
    out = session.output
    for name in names:
        out.line(("+ ", "green"), (folder / name).as_posix())
    out.line()
    out.line((t("Next:"), "bold"))
    out.table([(command, (f"# {meaning}" if meaning else "", "dim")) for command, meaning in steps], indent=2)
    out.document(
        "init",
        {"directory": str(folder), "files": names, "next": [command for command, _ in steps]},
    )
