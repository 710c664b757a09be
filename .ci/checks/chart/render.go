// go run render.go CHART VALUES.yaml: prints the chart's documents, rendered as "helm template
// gatefold CHART --values VALUES.yaml" does: Go templates with the functions of sprig and those that
// Helm adds. Numbers of values are floating-point, as in Helm.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string) (values object) {
	text, err := os.ReadFile(path)
	check(err)
	check(yaml.Unmarshal(text, &values))
	return values
}

// merged: "over" wins; objects are merged key by key.
func merged(under, over object) object {
	for key, value := range over {
		inner, isObject := value.(object)
		if below, ok := under[key].(object); ok && isObject {
			under[key] = merged(below, inner)
		} else {
			under[key] = value
		}
	}
	return under
}

func main() {
	chart := os.Args[1]
	values := merged(read(filepath.Join(chart, "values.yaml")), read(os.Args[2]))
	names := object{}
	for key, value := range read(filepath.Join(chart, "Chart.yaml")) {
		names[strings.ToUpper(key[:1])+key[1:]] = value
	}

	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text bytes.Buffer
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["toJson"] = func(value interface{}) (string, error) {
		text, err := json.Marshal(value)
		return string(text), err
	}
	all.Funcs(functions)

	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	base := "gatefold/templates"
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		_, err = all.New(base + "/" + filepath.Base(file)).Parse(string(text))
		check(err)
	}
	for _, file := range files {
		name := base + "/" + filepath.Base(file)
		if strings.HasPrefix(filepath.Base(file), "_") {
			continue
		}
		var text bytes.Buffer
		check(all.ExecuteTemplate(&text, name, object{
			"Values":   values,
			"Chart":    names,
			"Release":  object{"Name": "gatefold", "Namespace": "reader", "Service": "Helm", "Revision": 1, "IsInstall": true},
			"Template": object{"Name": name, "BasePath": base},
		}))
		// What Helm prints to the operator, not to Kubernetes.
		if strings.HasSuffix(name, ".txt") {
			fmt.Fprint(os.Stderr, text.String())
			continue
		}
		fmt.Printf("---\n# Source: %s\n%s\n", name, strings.ReplaceAll(text.String(), "<no value>", ""))
	}
}
