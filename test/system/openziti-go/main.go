// A stock Go client: enrolls with a JWT, logs in by the certificate, lists its services, makes a
// session; then reads every list and detail of both APIs by the generated models, which are strict.
//
// It is handed a line of JSON on standard input, says one line a step on standard output, and exits
// with 1 when one of them failed.
package main

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	openapi "github.com/go-openapi/errors"
	"github.com/go-openapi/strfmt"
	"github.com/openziti/edge-api/rest_management_api_client/current_identity"
	"github.com/openziti/edge-api/rest_util"
	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/enroll"
)

type order struct {
	URL          string `json:"url"`
	JWT          string `json:"jwt"`
	IdentityFile string `json:"identityFile"`
	Service      string `json:"service"`
	Username     string `json:"username"`
	Password     string `json:"password"`
	CA           string `json:"ca"`
}

var failures int

// Fields that the specification lets be null and the models demand. No value could please both, and
// the controller that the models come from says null too; reading them fails nowhere.
var nullable = map[string]bool{
	"externalId": true, "certPem": true, "jwksEndpoint": true, "permissions": true,
	// Lists that were never set.
	"roleAttributes": true, "configs": true, "identityRoles": true, "serviceRoles": true,
	"edgeRouterRoles": true, "postureCheckRoles": true,
}

type model interface{ Validate(strfmt.Registry) error }

// Whether an answer keeps the rules of its model: what is required, formats, bounds, choices. Fields
// with one of the names may be left out.
func fits(answer model, optional ...string) error {
	return withoutNullable(answer.Validate(formats), optional)
}

func withoutNullable(err error, optional []string) error {
	var one *openapi.Validation
	var many *openapi.CompositeError
	// The composite first: as it wraps its errors, it would be found to be its first one, too.
	switch {
	case errors.As(err, &many):
		var left []error
		for _, each := range many.Errors {
			if rest := withoutNullable(each, optional); rest != nil {
				left = append(left, rest)
			}
		}
		return errors.Join(left...)
	case errors.As(err, &one):
		path := strings.Split(one.Name, ".")
		name := path[len(path)-1]
		isOptional := nullable[name] || slices.Contains(optional, name)
		if one.Code() == openapi.RequiredFailCode && isOptional {
			return nil
		}
	}
	return err
}

func report(step string, err error) bool {
	if err == nil {
		fmt.Println("ok", step)
		return true
	}
	failures++
	fmt.Printf("not ok %s: %v\n", step, rest_util.WrapErr(err))
	return false
}

// Rules of the generated models' formats. Links are relative in this API, here as at the controller
// that the models come from: `uri` is a reference to them (RFC 3986, section 4.1).
var formats = func() strfmt.Registry {
	made := strfmt.NewFormats()
	var reference strfmt.URI
	made.Add("uri", &reference, func(text string) bool {
		_, err := url.Parse(text)
		return err == nil
	})
	return made
}()

func main() {
	var asked order
	if report("order", json.NewDecoder(os.Stdin).Decode(&asked)) {
		if enrollIdentity(asked) {
			useIdentity(asked)
		}
		readEverything(asked)
	}
	if failures > 0 {
		os.Exit(1)
	}
}

func enrollIdentity(asked order) bool {
	claims, token, err := enroll.ParseToken(asked.JWT)
	if !report("check the JWT against the server's key", err) {
		return false
	}
	flags := enroll.EnrollmentFlags{Token: claims, JwtToken: token, JwtString: asked.JWT}
	if err := flags.KeyAlg.Set("EC"); err != nil {
		return report("choose a key", err)
	}
	config, err := enroll.Enroll(flags)
	if !report("enroll", err) {
		return false
	}
	text, err := json.Marshal(config)
	if err == nil {
		err = os.WriteFile(asked.IdentityFile, text, 0o600)
	}
	return report("keep the identity", err)
}

func useIdentity(asked order) {
	client, err := ziti.NewContextFromFile(asked.IdentityFile)
	if !report("load the identity", err) {
		return
	}
	defer client.Close()
	if !report("log in by the certificate", client.Authenticate()) {
		return
	}
	identity, err := client.GetCurrentIdentity()
	if report("read the own identity", err) {
		report("its model", fits(identity))
	}
	services, err := client.GetServices()
	report("list services", err)
	for _, service := range services {
		report("service "+*service.Name, fits(&service))
	}
	report("update services", client.RefreshServices())
	service, isThere := client.GetService(asked.Service)
	if !isThere {
		report("find the service", errors.New("it is not listed"))
		return
	}
	_, _, err = client.GetServiceTerminators(asked.Service, 0, 10)
	report("list its terminators", err)
	session, err := client.GetSession(*service.ID)
	if report("make a session", err) {
		report("its model", fits(session))
	}
	// No router is online: what is tried is how the failure is taken.
	_, err = client.DialWithOptions(asked.Service, &ziti.DialOptions{ConnectTimeout: time.Second})
	report("refuse to dial", mustFail(err))
}

func mustFail(err error) error {
	if err == nil {
		return errors.New("it did not fail")
	}
	if strings.Contains(err.Error(), "edge routers") {
		return nil
	}
	return fmt.Errorf("it failed otherwise: %w", err)
}

func readEverything(asked order) {
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(asked.CA))
	manager, err := rest_util.NewEdgeManagementClientWithUpdb(
		asked.Username, asked.Password, asked.URL, trusted)
	if !report("log in by a password", err) {
		return
	}
	managing := learner(manager.Transport)
	manager.SetTransport(managing)
	_, err = manager.CurrentIdentity.EnrollMfa(current_identity.NewEnrollMfaParams(), nil)
	report("begin to enroll a second factor, which is read too", err)
	client, err := rest_util.NewEdgeClientClientWithUpdb(
		asked.Username, asked.Password, asked.URL, trusted)
	if !report("log in to the client API", err) {
		return
	}
	using := learner(client.Transport)
	client.SetTransport(using)
	report("make a session to read", makeSession(client))
	report("enroll by a token", enrollByToken(manager, client))
	report("request an extension", requestExtension(manager))
	readAll("management", manager, managing)
	readAll("client", client, using)
}
