{{- define "steno.labels" -}}
app.kubernetes.io/name: steno
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "steno.selector" -}}
app.kubernetes.io/name: steno
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* What all pods have in common. */}}
{{- define "steno.pod" -}}
automountServiceAccountToken: false
# No variables named after services of the namespace among the settings.
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
volumes:
  - name: tmp
    emptyDir: {}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What all containers have in common. */}}
{{- define "steno.container" -}}
image: "{{ required "image.repository: an image that infra/Dockerfile makes" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: tmp
    mountPath: /tmp
envFrom:
  - secretRef:
      name: {{ required "existingSecret: the secret with SECRET_KEY and DATABASE_URL" .Values.existingSecret }}
{{- end }}

{{/* Settings as variables; what the chart itself says goes before them. */}}
{{- define "steno.env" -}}
{{- $_ := required "settings.PUBLIC_URL: the address that people see" .Values.settings.PUBLIC_URL }}
{{- range $name, $value := omit .Values.settings "HOST" "PORT" "ROLE" "METRICS_PORT" }}
- name: {{ $name }}
  {{- /* Numbers of values.yaml are floats, which would be written as 1e+06. */}}
  value: {{ ternary (toJson $value) $value (kindIs "float64" $value) | quote }}
{{- end }}
- name: HOST
  value: "0.0.0.0"
- name: PORT
  value: "3000"
{{- end }}
