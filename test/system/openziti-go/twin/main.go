// An edge router of our own on the field's channel library: enough of one that the stock SDK hosts
// and dials services through it. It knows no links, so host and client meet on it.
//
// Its input is a line of JSON (`order`); it runs until its input ends.
package main

import (
	"bufio"
	"crypto"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/openziti/identity"
)

type order struct {
	// The directory with its key, its certificates and the addresses of its controller.
	Home string `json:"home"`
	// Empty when it is enrolled already.
	JWT string `json:"jwt"`
	// Where it connects to at first: `tls:host:port`.
	ControlAddress string `json:"controlAddress"`
	// Where it accepts SDKs.
	EdgePort int `json:"edgePort"`
}

func main() {
	input := bufio.NewReader(os.Stdin)
	line, err := input.ReadBytes('\n')
	var asked order
	if err == nil {
		err = json.Unmarshal(line, &asked)
	}
	if err == nil && asked.JWT != "" {
		err = enrollRouter(asked)
	}
	if err == nil {
		err = run(asked)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = io.Copy(io.Discard, input)
}

func run(asked order) error {
	file := func(name string) string { return filepath.Join(asked.Home, name) }
	loaded, err := identity.LoadIdentity(identity.Config{
		Key:        file("key.pem"),
		Cert:       file("cert.pem"),
		ServerCert: file("server-cert.pem"),
		CA:         file("ca.pem"),
	})
	if err != nil {
		return err
	}
	token := identity.NewIdentity(loaded)
	token.Token = loaded.Cert().Leaf.Subject.CommonName
	router := newRouter(token, asked.EdgePort)
	if err := router.listen(); err != nil {
		return err
	}
	return router.connect(asked.Home)
}

// One router: what it has learnt from its controller, and its clients.
type router struct {
	id       *identity.TokenId
	edgePort int
	sessions *sessions
	keys     *publicKeys
	control  *control
	clients  *clients
	hosts    *hosts
	circuits *circuits
}

func newRouter(id *identity.TokenId, edgePort int) *router {
	made := &router{
		id: id, edgePort: edgePort, sessions: newSessions(), keys: newPublicKeys(),
		clients: newClients(), hosts: newHosts(), circuits: newCircuits(),
	}
	made.control = newControl(made)
	return made
}

// The key of a certificate in DER, or the key in DER itself.
func keyOf(der []byte, isCertificate bool) (crypto.PublicKey, error) {
	if !isCertificate {
		return x509.ParsePKIXPublicKey(der)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return certificate.PublicKey, nil
}
