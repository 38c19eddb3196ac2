"""Reads a document about a version with the package of those who made its standard, and its records with it. Exits with 1 if it refuses."""
import json
import sys

kind, path = sys.argv[1:3]
if kind == "croissant":
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=path)
    issues = dataset.metadata.issues
    # A warning is a recommendation that the document does not follow.
    print(json.dumps({"errors": sorted(issues.errors), "warnings": sorted(issues.warnings)}))
    for record_set in dataset.metadata.record_sets:
        count = sum(1 for _ in dataset.records(record_set.uuid))
        print(json.dumps({"recordSet": record_set.name, "records": count}))
    sys.exit(1 if issues.errors else 0)
else:
    import frictionless

    report = frictionless.validate(path)
    print(json.dumps(report.flatten(["title", "rowNumber", "fieldName", "message"])))
    for task in report.tasks:
        print(json.dumps({"resource": task.name, "rows": task.stats.get("rows")}))
    sys.exit(0 if report.valid else 1)
