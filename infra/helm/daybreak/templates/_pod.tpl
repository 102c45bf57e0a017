{{- define "daybreak.labels" -}}
app.kubernetes.io/name: daybreak
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "daybreak.sparkConf" -}}
{{- $own := dict
  "spark.kubernetes.driver.pod.name" "$(POD_NAME)"
  "spark.kubernetes.namespace" .Release.Namespace
  "spark.kubernetes.container.image" .Values.image
  "spark.kubernetes.container.image.pullPolicy" .Values.imagePullPolicy
  "spark.kubernetes.authenticate.driver.serviceAccountName" (printf "%s-driver" .Release.Name)
  "spark.kubernetes.authenticate.serviceAccountName" (printf "%s-driver" .Release.Name)
  "spark.kubernetes.executor.label.app.kubernetes.io/name" "daybreak"
  "spark.kubernetes.executor.label.app.kubernetes.io/instance" .Release.Name
  (printf "spark.kubernetes.executor.secrets.%s" .Values.sparkSecret) "/etc/daybreak-spark"
  "spark.authenticate.secret.file" "/etc/daybreak-spark/secret"
  "spark.executor.memory" .Values.executorMemory
-}}
{{- merge (dict) .Values.sparkConf $own | toJson -}}
{{- end }}

{{/* The pod of one driver: a list of the chart's context, its part of the values, its name and its command. */}}
{{- define "daybreak.pod" -}}
{{- $root := index . 0 }}{{ $part := index . 1 }}{{ $name := index . 2 }}{{ $command := index . 3 -}}
serviceAccountName: {{ $root.Release.Name }}-driver
terminationGracePeriodSeconds: 90
securityContext:
  runAsNonRoot: true
  runAsUser: 185
  fsGroup: 185
  seccompProfile: {type: RuntimeDefault}
initContainers:
  # Folders, links to the jars of the image, Spark's shared configuration: what `daybreak up` makes elsewhere.
  - name: home
    image: {{ $root.Values.image | quote }}
    imagePullPolicy: {{ $root.Values.imagePullPolicy }}
    workingDir: {{ $root.Values.root }}
    command: {{ list ".venv/bin/python" "-c" (include "daybreak.prepare" .) | toJson }}
    {{- include "daybreak.env" $root | nindent 4 }}
    securityContext:
      allowPrivilegeEscalation: false
      capabilities: {drop: [ALL]}
    resources:
      requests: {cpu: 100m, memory: 256Mi}
      limits: {memory: 512Mi}
    volumeMounts:
      - {name: home, mountPath: /var/lib/daybreak}
containers:
  - name: {{ $name }}
    image: {{ $root.Values.image | quote }}
    imagePullPolicy: {{ $root.Values.imagePullPolicy }}
    workingDir: {{ $root.Values.root }}
    command: {{ $command | toJson }}
    {{- include "daybreak.env" $root | nindent 4 }}
    securityContext:
      allowPrivilegeEscalation: false
      capabilities: {drop: [ALL]}
    resources:
      requests: {cpu: {{ $part.cpu | quote }}, memory: {{ $part.memory }}}
      limits: {memory: {{ $part.memory }}}
    volumeMounts:
      - {name: home, mountPath: /var/lib/daybreak}
      - {name: spark-secret, mountPath: /etc/daybreak-spark, readOnly: true}
{{- end }}

{{- define "daybreak.prepare" -}}
from infra.services import place; from infra.settings import settings; place.prepare(settings()); (settings().home / "gateway" / "local").mkdir(parents=True, exist_ok=True)
{{- end }}

{{- define "daybreak.env" -}}
env:
  - name: POD_NAME
    valueFrom: {fieldRef: {fieldPath: metadata.name}}
  # The one address at which the driver listens, and which its executors reach.
  - name: DAYBREAK_SPARK_ADDRESS
    valueFrom: {fieldRef: {fieldPath: status.podIP}}
  - {name: DAYBREAK_SPARK_MASTER, value: "k8s://https://kubernetes.default.svc"}
  - {name: DAYBREAK_HOME, value: /var/lib/daybreak}
  - {name: DAYBREAK_CLUSTER_CORES, value: {{ .Values.cores | quote }}}
  - {name: DAYBREAK_KAFKA_BOOTSTRAP, value: {{ .Values.kafka.bootstrap | quote }}}
  - {name: DAYBREAK_KAFKA_CLIENT, value: {{ .Values.kafka.client | toJson | quote }}}
  - {name: DAYBREAK_KAFKA_SPARK, value: {{ .Values.kafka.spark | toJson | quote }}}
  - {name: DAYBREAK_S3_ENDPOINT, value: {{ .Values.s3.endpoint | quote }}}
  - {name: DAYBREAK_S3_REGION, value: {{ .Values.s3.region | quote }}}
  - {name: DAYBREAK_BUCKET, value: {{ .Values.s3.bucket | quote }}}
  - {name: DAYBREAK_CHECKPOINTS, value: {{ printf "s3a://%s/checkpoints" .Values.s3.bucket | quote }}}
  - {name: DAYBREAK_POSTGRES_DSN, value: {{ .Values.postgres.dsn | quote }}}
  - {name: DAYBREAK_STREAM_PROFILE, value: spark}
  - {name: DAYBREAK_SPARK_CONF, value: {{ include "daybreak.sparkConf" . | quote }}}
  {{- range $key, $value := .Values.settings }}
  - {name: {{ $key }}, value: {{ $value | quote }}}
  {{- end }}
envFrom:
  - secretRef: {name: {{ .Values.secrets }}}
{{- end }}
