# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The few panel shapes that our dashboards are made of, as Grafana's JSON."""

WIDTH = 24
SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def _targets(queries):
    return [
        {"datasource": SOURCE, "expr": expr, "legendFormat": legend, "refId": chr(ord("A") + i)}
        for i, (expr, legend) in enumerate(queries)
    ]


def _panel(kind, title, text, unit, width, height, queries):
    return {
        "type": kind,
        "title": title,
        "description": text,
        "datasource": SOURCE,
        "gridPos": {"w": width, "h": height},
        "targets": _targets(queries),
        "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
    }


def lines(title, text, unit, *queries, width=8, stack=False):
    """Lines over time. Each query is (expression, legend)."""
    panel = _panel("timeseries", title, text, unit, width, 8, queries)
    custom = {"lineWidth": 1, "fillOpacity": 30 if stack else 5, "showPoints": "never"}
    if stack:
        custom["stacking"] = {"mode": "normal", "group": "A"}
    panel["fieldConfig"]["defaults"].update(custom=custom, min=0)
    panel["options"] = {
        "legend": {"displayMode": "table", "placement": "bottom", "calcs": ["mean", "max"]},
        "tooltip": {"mode": "multi", "sort": "desc"},
    }
    return panel


def number(title, text, unit, expr, warn=None, bad=None, width=4):
    """One figure, coloured from `warn` and `bad` on (bad below warn: small is bad)."""
    panel = _panel("stat", title, text, unit, width, 4, [(expr, "")])
    steps = [{"color": "green", "value": None}]
    if warn is not None and bad is not None and bad < warn:
        steps = [{"color": "red", "value": None}]
        steps += [{"color": "orange", "value": bad}, {"color": "green", "value": warn}]
    elif warn is not None:
        steps += [{"color": "orange", "value": warn}, {"color": "red", "value": bad}]
    panel["fieldConfig"]["defaults"]["thresholds"] = {"mode": "absolute", "steps": steps}
    panel["options"] = {
        "reduceOptions": {"calcs": ["lastNotNull"], "values": False},
        "colorMode": "value",
        "graphMode": "area",
    }
    return panel


def heat(title, text, unit, histogram, selector, width=12):
    """A histogram's buckets over time."""
    expr = f"sum by (le) (increase({histogram}_bucket{{{selector}}}[$__rate_interval]))"
    panel = _panel("heatmap", title, text, unit, width, 8, [(expr, "{{le}}")])
    panel["targets"][0]["format"] = "heatmap"
    panel["options"] = {
        "calculate": False,
        "yAxis": {"unit": unit},
        "color": {"mode": "scheme", "scheme": "Oranges", "steps": 64},
        "tooltip": {"show": True},
    }
    return panel


def table(title, text, expr, width=12):
    """The labels of the series of an expression, one row each."""
    panel = _panel("table", title, text, "none", width, 8, [(expr, "")])
    panel["targets"][0].update(format="table", instant=True)
    hidden = {"Time": True, "Value": True, "__name__": True, "job": True}
    panel["transformations"] = [{"id": "organize", "options": {"excludeByName": hidden}}]
    return panel


def row(title):
    """A heading."""
    return {"type": "row", "title": title, "gridPos": {"w": WIDTH, "h": 1}, "panels": []}


def _lay_out(panels):
    x = y = height = 0
    for number_, panel in enumerate(panels, 1):
        place = panel["gridPos"]
        if x + place["w"] > WIDTH:
            x, y, height = 0, y + height, 0
        place.update(x=x, y=y)
        panel["id"] = number_
        x, height = x + place["w"], max(height, place["h"])
    return panels


def dashboard(uid, title, text, panels):
    """A whole dashboard; panels flow from left to right."""
    instances = "label_values(ikstream_build_info, instance)"
    return {
        "uid": uid,
        "title": title,
        "description": text,
        "tags": ["ikstream"],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {
            "list": [
                {"name": "datasource", "type": "datasource", "query": "prometheus"},
                {
                    "name": "instance",
                    "label": "Replica",
                    "type": "query",
                    "datasource": SOURCE,
                    "query": {"query": instances, "refId": "instances"},
                    "refresh": 2,
                    "includeAll": True,
                    "multi": True,
                    "allValue": ".*",
                    "current": {"text": "All", "value": "$__all"},
                },
            ]
        },
        "links": [
            {
                "type": "dashboards",
                "title": "ikstream",
                "tags": ["ikstream"],
                "asDropdown": True,
            }
        ],
        "annotations": {"list": []},
        "panels": _lay_out(panels),
    }
