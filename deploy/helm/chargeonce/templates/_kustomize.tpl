{{/*
What this chart understands of kustomize. HelmTest compares what both render, so what it does not understand is noticed.
`all` has each resource by kind and name: Deployment/charge.
*/}}

{{/* Adds the resources and carries out the patches of a folder. */}}
{{- define "chargeonce.folder" -}}
{{- $all := .all }}
{{- $root := .root }}
{{- $folder := .folder }}
{{- $read := fromYaml ($root.Files.Get (printf "kubernetes/%s/kustomization.yaml" $folder)) }}
{{- if not $read }}{{ fail (printf "there is no component %s" $folder) }}{{ end }}
{{- range $read.components }}
{{- include "chargeonce.folder" (dict "all" $all "root" $root "folder" (base .)) }}
{{- end }}
{{- range $read.resources }}
{{- range splitList "\n---\n" ($root.Files.Get (printf "kubernetes/%s/%s" $folder .)) }}
{{- $resource := fromYaml . }}
{{- range $read.labels }}
{{- $_ := set $resource.metadata "labels" (merge (dict) (default (dict) $resource.metadata.labels) .pairs) }}
{{- end }}
{{- $_ := set $all (printf "%s/%s" $resource.kind $resource.metadata.name) $resource }}
{{- end }}
{{- end }}
{{- range $patch := $read.patches }}
{{- if hasKey $patch "target" }}
{{- range $resource := $all }}
{{- if and (regexMatch (printf "^(%s)$" $patch.target.kind) $resource.kind) (regexMatch (printf "^(%s)$" $patch.target.name) $resource.metadata.name) }}
{{- range fromYamlArray $patch.patch }}{{ include "chargeonce.operation" (dict "resource" $resource "operation" .) }}{{ end }}
{{- end }}
{{- end }}
{{- else }}
{{- $named := fromYaml $patch.patch }}
{{- $container := first (get $all (printf "%s/%s" $named.kind $named.metadata.name)).spec.template.spec.containers }}
{{- include "chargeonce.env" (dict "container" $container "env" (first $named.spec.template.spec.containers).env) }}
{{- end }}
{{- end }}
{{- end }}

{{/* One operation of a JSON patch. */}}
{{- define "chargeonce.operation" -}}
{{- $operation := .operation }}
{{- $steps := splitList "/" (trimPrefix "/" $operation.path) }}
{{- $last := last $steps }}
{{- $parent := .resource }}
{{- $at := .resource }}
{{- $name := "" }}
{{- range initial $steps }}
{{- $parent = $at }}
{{- $name = . }}
{{- if kindIs "slice" $at }}{{ $at = index $at (int .) }}{{ else }}{{ $at = get $at . }}{{ end }}
{{- end }}
{{- if eq $operation.op "remove" }}{{ $_ := unset $at $last }}
{{- else if eq $last "-" }}{{ $_ := set $parent $name (append $at (deepCopy $operation.value)) }}
{{- else }}{{ $_ := set $at $last (kindIs "map" $operation.value | ternary (deepCopy $operation.value) $operation.value) }}
{{- end }}
{{- end }}

{{/* Variables of a container, each in place of one of its name. */}}
{{- define "chargeonce.env" -}}
{{- $container := .container }}
{{- range $variable := .env }}
{{- $others := list }}
{{- range $container.env }}{{ if ne .name $variable.name }}{{ $others = append $others . }}{{ end }}{{ end }}
{{- $_ := set $container "env" (append $others $variable) }}
{{- end }}
{{- end }}
