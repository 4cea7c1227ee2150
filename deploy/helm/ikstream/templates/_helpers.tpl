{{- /* SPDX-License-Identifier: Apache-2.0 */ -}}
{{- /* Copyright The ikstream authors */ -}}

{{- define "ikstream.name" -}}
{{- if contains "ikstream" .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-ikstream" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "ikstream.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "ikstream.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "ikstream.name" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end }}

{{- /* Labels that pick pods: never changed by an upgrade. Call with (list $ "server"). */ -}}
{{- define "ikstream.selector" -}}
app.kubernetes.io/name: ikstream
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "ikstream.labels" -}}
{{ include "ikstream.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{- define "ikstream.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "ikstream.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "ikstream.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Spread over zones and nodes where there are any. Call with (list $ "server"). */ -}}
{{- define "ikstream.spread" -}}
topologySpreadConstraints:
{{- $selector := include "ikstream.selector" . }}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- $selector | nindent 8 }}
{{- end }}
{{- end }}

{{- /* The name that the server's certificate must hold. */ -}}
{{- define "ikstream.serverName" -}}
{{ .Values.tls.serverName | default (printf "%s-headless" (include "ikstream.name" .)) }}
{{- end }}

{{- /* How the CLI reaches the server: --server and, with TLS, whom to trust. */ -}}
{{- define "ikstream.clientFlags" -}}
- --server=dns:///{{ include "ikstream.name" . }}-headless:50051
{{- if .Values.tls.secretName }}
- --tls
- --tls-ca=/etc/ikstream-server-ca/ca.crt
- --tls-server-name={{ include "ikstream.serverName" . }}
{{- end }}
{{- end }}

{{- define "ikstream.clientMounts" -}}
{{- if .Values.tls.secretName }}
- {name: server-ca, mountPath: /etc/ikstream-server-ca, readOnly: true}
{{- end }}
{{- end }}

{{- define "ikstream.clientVolumes" -}}
{{- if .Values.tls.secretName }}
- name: server-ca
  secret:
    secretName: {{ .Values.tls.secretName }}
    items: [{key: ca.crt, path: ca.crt}]
{{- end }}
{{- end }}
