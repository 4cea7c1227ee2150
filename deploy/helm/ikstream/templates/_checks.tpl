{{- /* SPDX-License-Identifier: Apache-2.0 */ -}}
{{- /* Copyright The ikstream authors */ -}}
{{- /* Values that are each well-formed (values.schema.json) and cannot work together. */ -}}

{{- define "ikstream.checks" -}}
{{- with .Values.server }}
{{- $drain := add .drainPropagationSeconds .drainSeconds }}
{{- if le (int .terminationGracePeriodSeconds) (int $drain) }}
{{- fail (printf "server.terminationGracePeriodSeconds (%v) must exceed drainPropagationSeconds + drainSeconds (%v)" .terminationGracePeriodSeconds $drain) }}
{{- end }}
{{- end }}
{{- with .Values.autoscaling }}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}
{{- fail (printf "autoscaling.minReplicas (%v) must not exceed autoscaling.maxReplicas (%v)" .minReplicas .maxReplicas) }}
{{- end }}
{{- if and .enabled (not (dig "requests" "cpu" "" $.Values.server.resources)) }}
{{- fail "autoscaling goes by server.resources.requests.cpu, which is not set: set it, or autoscaling.enabled=false" }}
{{- end }}
{{- end }}
{{- if and .Values.viewer.enabled (not .Values.edge.enabled) }}
{{- fail "viewer.enabled needs edge.enabled: browsers reach the page and the calls through the edge" }}
{{- end }}
{{- with .Values.job }}
{{- range $name, $path := dict "list" .list "output" .output }}
{{- if and $.Values.job.enabled (not (hasPrefix (printf "%s/" (trimSuffix "/" $.Values.job.mountPath)) $path)) }}
{{- fail (printf "job.%s (%s) must lie inside job.mountPath (%s)" $name $path $.Values.job.mountPath) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
