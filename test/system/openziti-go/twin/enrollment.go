// The enrollment of the router: its key, two certificates for it, and the address of its controller.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/enroll"
)

func enrollRouter(asked order) error {
	claims, _, err := enroll.ParseToken(asked.JWT)
	if err != nil {
		return err
	}
	if !slices.Contains(claims.Controllers, asked.ControlAddress) {
		return fmt.Errorf("the JWT names %v, not %s", claims.Controllers, asked.ControlAddress)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	request := &x509.CertificateRequest{
		Subject:     pkix.Name{CommonName: claims.Subject},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, request, key)
	if err != nil {
		return err
	}
	csr := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
	answered, err := postRequests(claims, csr)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	files := map[string]string{
		"key.pem":         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})),
		"cert.pem":        answered.Cert,
		"server-cert.pem": answered.ServerCert,
		"ca.pem":          answered.CA,
		addressesFile:     asked.ControlAddress,
	}
	for name, text := range files {
		if text == "" {
			return fmt.Errorf("the answer has nothing for %s", name)
		}
		if err := os.WriteFile(filepath.Join(asked.Home, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

type certificates struct {
	Cert       string `json:"cert"`
	ServerCert string `json:"serverCert"`
	CA         string `json:"ca"`
}

// Sends the certificate requests to the address of the JWT, trusting the CAs that are fetched there.
func postRequests(claims *ziti.EnrollmentClaims, csr string) (*certificates, error) {
	trusted := x509.NewCertPool()
	shown := x509.NewCertPool()
	shown.AddCert(claims.SignatureCert)
	for _, certificate := range enroll.FetchCertificates(claims.Issuer, shown) {
		trusted.AddCert(certificate)
	}
	body, err := json.Marshal(map[string]string{"certCsr": csr, "serverCertCsr": csr})
	if err != nil {
		return nil, err
	}
	query := url.Values{"method": {claims.EnrollmentMethod}, "token": {claims.ID}}
	path := claims.Issuer + "/edge/client/v1/enroll?" + query.Encode()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	answer, err := client.Post(path, "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the enrollment is answered %s", answer.Status)
	}
	var envelope struct {
		Data certificates `json:"data"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&envelope); err != nil {
		return nil, err
	}
	return &envelope.Data, nil
}
