// Every GET of a generated client, found by reflection: so a newer edge-api brings its new lists and
// details with it. Details are read of every row that the list before them in the path shows.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"sort"
	"strings"

	"github.com/go-openapi/runtime"
	openapi "github.com/go-openapi/runtime/client"
)

// Operations that are not served. They must answer 404, so that none stays here once it is served.
var notServed = map[string]bool{
	"management /controller-settings":                true,
	"management /controller-settings/{id}":           true,
	"management /controller-settings/{id}/effective": true,
	"management /revocations/{id}":                   true,
}

// Operations that are not read at all.
var leftOut = map[string]bool{
	// They take a code of an authenticator app.
	"client /current-identity/mfa/recovery-codes":     true,
	"management /current-identity/mfa/recovery-codes": true,
	// The session has none, as it was opened by a password.
	"client /current-api-session/certificates/{id}": true,
}

// Fields that a model demands in vain, here as at the controller that it comes from.
var lenient = map[string][]string{
	// The answer is the document itself; its model is an envelope.
	"client /specs/{id}/spec":     {"data", "meta"},
	"management /specs/{id}/spec": {"data", "meta"},
	// Its rows have the model of another kind of policies.
	"management /edge-routers/{id}/service-edge-router-policies": {"identityRoles"},
	// The generated code takes an empty list for none.
	"management /service-policies/{id}/posture-checks": {"data"},
	// A router without a certificate has no fingerprint, which OpenZiti shows as null, too.
	"management /routers":              {"fingerprint"},
	"management /routers/{id}":         {"fingerprint"},
	"management /transit-routers":      {"fingerprint"},
	"management /transit-routers/{id}": {"fingerprint"},
}

// What the generated clients do not know how to read.
var consumers = map[string]runtime.Consumer{
	"application/jwt":        runtime.TextConsumer(),
	"application/pkcs7-mime": runtime.TextConsumer(),
	"image/png":              runtime.ByteStreamConsumer(),
}

// One GET of a client.
type operation struct {
	name   string
	path   string
	method reflect.Value
}

// A transport that only learns which operation is asked for, or passes it on.
type learning struct {
	inner    runtime.ClientTransport
	isAsking bool
	method   string
	path     string
}

// The transport of a client, which it also teaches to read what its models do not cover.
func learner(inner runtime.ClientTransport) *learning {
	if http, isHTTP := inner.(*openapi.Runtime); isHTTP {
		maps.Copy(http.Consumers, consumers)
	}
	return &learning{inner: inner}
}

var errLearned = errors.New("learned")

func (transport *learning) Submit(asked *runtime.ClientOperation) (any, error) {
	if transport.isAsking {
		transport.method, transport.path = asked.Method, asked.PathPattern
		return nil, errLearned
	}
	return transport.inner.Submit(asked)
}

// All reads of a client: a pointer to a struct whose fields are the groups of its operations.
func operations(client any, transport *learning) []operation {
	transport.isAsking = true
	defer func() { transport.isAsking = false }()
	var found []operation
	groups := reflect.ValueOf(client).Elem()
	for field := range groups.NumField() {
		group := groups.Field(field)
		if group.Kind() != reflect.Interface || groups.Type().Field(field).Name == "Transport" {
			continue
		}
		for index := range group.NumMethod() {
			method := group.Method(index)
			if method.Type().NumIn() < 2 || method.Type().In(0).Kind() != reflect.Pointer {
				continue
			}
			transport.method = ""
			call(method, map[string]string{})
			if transport.method == "GET" {
				name := groups.Type().Field(field).Name + "." + group.Type().Method(index).Name
				found = append(found, operation{name, transport.path, method})
			}
		}
	}
	// Lists come before the details of their rows.
	sort.SliceStable(found, func(a, b int) bool {
		return strings.Count(found[a].path, "{") < strings.Count(found[b].path, "{")
	})
	return found
}

// Calls an operation with these path parameters, by the names of the fields. The client's own
// authentication gives the session.
func call(method reflect.Value, fields map[string]string) (reflect.Value, error) {
	parameters := reflect.New(method.Type().In(0).Elem())
	for name, value := range fields {
		parameters.Elem().FieldByName(name).SetString(value)
	}
	given := []reflect.Value{parameters}
	for index := 1; index < method.Type().NumIn() && !isRest(method, index); index++ {
		given = append(given, reflect.Zero(method.Type().In(index)))
	}
	answers := method.Call(given)
	err, _ := answers[len(answers)-1].Interface().(error)
	return answers[0], err
}

func isRest(method reflect.Value, index int) bool {
	return method.Type().IsVariadic() && index == method.Type().NumIn()-1
}

// Reads everything that a client can, and holds it against its models.
func readAll(api string, client any, transport *learning) {
	ids := map[string][]string{}
	for _, read := range operations(client, transport) {
		name := api + " " + read.path
		if leftOut[name] {
			continue
		}
		if notServed[name] {
			report("refuse "+name, mustBeUnknown(read))
			continue
		}
		targets := targetsOf(read, ids)
		if len(targets) == 0 {
			report(name, errors.New("there is no row to read it of"))
		}
		for _, fields := range targets {
			payload := readOne(api, read, fields)
			if !strings.Contains(read.path, "{") {
				ids[read.path] = idsIn(payload)
			}
		}
	}
}

// An operation that is served after all is to be read like all others.
func mustBeUnknown(read operation) error {
	fields := map[string]string{}
	if strings.Contains(read.path, "{id}") {
		fields["ID"] = "none"
	}
	_, err := call(read.method, fields)
	if err == nil || !strings.Contains(err.Error(), "404") {
		return fmt.Errorf("it is served: %v", err)
	}
	return nil
}

// The path parameters of each call: for `/identities/{id}/…` the ids of `/identities`.
func targetsOf(read operation, ids map[string][]string) []map[string]string {
	before, after, isOfRow := strings.Cut(read.path, "/{id}")
	if !isOfRow {
		return []map[string]string{{}}
	}
	var targets []map[string]string
	for _, id := range ids[before] {
		if !strings.Contains(after, "{serviceId}") {
			targets = append(targets, map[string]string{"ID": id})
			continue
		}
		for _, service := range ids["/services"] {
			targets = append(targets, map[string]string{"ID": id, "ServiceID": service})
		}
	}
	return targets
}

// Reads one; returns its payload, nil if it failed.
func readOne(api string, read operation, fields map[string]string) any {
	step := strings.TrimSpace(fmt.Sprintf("%s %s %s", api, read.path, fields["ID"]))
	answer, err := call(read.method, fields)
	if err != nil {
		report(step, err)
		return nil
	}
	payload := answer.Elem().FieldByName("Payload")
	if !payload.IsValid() {
		report(step, nil)
		return nil
	}
	if strict, isModel := payload.Interface().(model); isModel {
		err = fits(strict, lenient[api+" "+read.path]...)
	}
	report(step, err)
	return payload.Interface()
}

// The ids of the rows of a list.
func idsIn(payload any) []string {
	text, err := json.Marshal(payload)
	if err != nil {
		return nil
	}
	var envelope struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(text, &envelope) != nil {
		return nil
	}
	var ids []string
	for _, row := range envelope.Data {
		if row.ID != "" {
			ids = append(ids, row.ID)
		}
	}
	return ids
}
