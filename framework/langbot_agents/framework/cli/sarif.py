"""Findings as SARIF 2.1.0, which code hosts and editors show at their places."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langbot_agents.schemas import __version__

from ..documents import Finding, code_meaning

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: Sequence[Finding], root: Path) -> dict[str, Any]:
    """The log of one run of `validate`; paths are relative to `root`, the folder in which it ran."""
    codes = sorted({finding.code for finding in findings})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "langbot-agents",
                        "semanticVersion": __version__,
                        "rules": [
                            {"id": code, "shortDescription": {"text": code_meaning(code)}} for code in codes
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"ROOT": {"uri": root.resolve().as_uri() + "/"}},
                "results": [_result(finding, codes.index(finding.code)) for finding in findings],
            }
        ],
    }


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    text = finding.message if finding.remedy is None else f"{finding.message}\n{finding.remedy}"
    region = {"startLine": max(1, finding.line), "startColumn": max(1, finding.column)}
    region["endColumn"] = region["startColumn"] + max(1, finding.width)
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": finding.severity,
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": finding.file, "uriBaseId": "ROOT"},
                    "region": region,
                },
                "logicalLocations": [{"fullyQualifiedName": finding.path}] if finding.path else [],
            }
        ],
    }
