# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""PromQL that the dashboards share."""

IN = 'instance=~"$instance"'


def rate(name, by, more=""):
    """Per second, summed by a label."""
    return f"sum by ({by}) (rate({name}{{{IN}{more}}}[$__rate_interval]))"


def quantile(q, name, by="", more=""):
    """A quantile over all replicas: buckets are summed before it is taken."""
    labels = f"{by}, le" if by else "le"
    buckets = f"rate({name}_bucket{{{IN}{more}}}[$__rate_interval])"
    return f"histogram_quantile({q}, sum by ({labels}) ({buckets}))"


_TWO = ((0.5, "median"), (0.99, "p99"))


def quantiles(name, by="", legend=""):
    """The median and the 99th percentile, as two queries."""
    return [(quantile(q, name, by), f"{legend} {words}".strip()) for q, words in _TWO]


def mean(name, by):
    """The mean of a histogram's observations."""
    return f"{rate(name + '_sum', by)} / {rate(name + '_count', by)}"
