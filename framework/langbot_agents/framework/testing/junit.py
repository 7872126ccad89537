"""Results as JUnit XML, which build servers read."""

from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement

from .suite import CaseResult, SuiteResult


def write_junit(path: Path, suite: SuiteResult) -> None:
    """Write one test suite a file of cases. Raises `OSError`."""
    top = Element("testsuites", name="langbot-agents")
    for file in suite.files:
        results = [result for result in suite.results if result.case.file == file.file]
        whole = SubElement(
            top,
            "testsuite",
            name=file.file,
            tests=str(len(results)),
            failures=str(sum(1 for result in results if result.verdict == "failed")),
            errors=str(sum(1 for result in results if result.verdict == "invalid")),
        )
        for result in results:
            _case(whole, result)
        of_cases = {id(finding) for case in file.cases for finding in case.findings}
        for finding in file.findings:
            if id(finding) not in of_cases and finding.severity == "error":
                broken = SubElement(whole, "testcase", classname=file.file, name=_clean(finding.path or "-"))
                SubElement(broken, "error", message=_clean(finding.message)).text = _clean(finding.render())
    ElementTree(top).write(path, encoding="utf-8", xml_declaration=True)


def _case(whole: Element, result: CaseResult) -> None:
    element = SubElement(
        whole,
        "testcase",
        classname=result.case.file,
        name=_clean(result.case.name),
        file=result.case.file,
        line=str(result.case.place().line),
        time=f"{result.seconds:.3f}",
    )
    for finding in result.case.findings:
        SubElement(element, "error", message=_clean(finding.message)).text = _clean(finding.render())
    for item in result.mismatches:
        place = result.case.place(*item.path)
        told = f"{item.name}: {item.expected!r} != {item.actual!r}"
        SubElement(element, "failure", message=_clean(told)).text = _clean(f"{place}: {told}")


def _clean(text: str) -> str:
    """Text without what XML cannot hold."""
    return "".join(char if char in "\t\n" or char >= " " else "\ufffd" for char in text)
