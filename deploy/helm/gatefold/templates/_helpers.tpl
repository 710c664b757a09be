{{- define "gatefold.name" -}}
{{- if contains "gatefold" .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-gatefold" .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "gatefold.selector" -}}
app.kubernetes.io/name: gatefold
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gatefold.labels" -}}
{{ include "gatefold.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- /* The path of the public address, at least "/". */ -}}
{{- define "gatefold.path" -}}
{{- .Values.ingress.path | default (urlParse .Values.baseUrl).path | default "/" -}}
{{- end -}}
