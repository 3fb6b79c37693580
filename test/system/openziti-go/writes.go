// Writes of the generated clients whose answers have models of their own.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/openziti/edge-api/rest_client_api_client"
	"github.com/openziti/edge-api/rest_client_api_client/enroll"
	"github.com/openziti/edge-api/rest_client_api_client/service"
	"github.com/openziti/edge-api/rest_client_api_client/session"
	"github.com/openziti/edge-api/rest_management_api_client"
	"github.com/openziti/edge-api/rest_management_api_client/authenticator"
	"github.com/openziti/edge-api/rest_management_api_client/external_jwt_signer"
	"github.com/openziti/edge-api/rest_model"
)

func makeSession(client *rest_client_api_client.ZitiEdgeClient) error {
	listed, err := client.Service.ListServices(service.NewListServicesParams(), nil)
	if err != nil {
		return err
	}
	wanted := session.NewCreateSessionParams().WithSession(&rest_model.SessionCreate{
		ServiceID: *listed.Payload.Data[0].ID,
		Type:      rest_model.DialBindDial,
	})
	made, err := client.Session.CreateSession(wanted, nil)
	if err != nil {
		return err
	}
	return fits(made.Payload)
}

const (
	issuer   = "https://issuer.example"
	audience = "edge"
	keyID    = "signer"
)

// An identity comes into being by the token of an external JWT signer, and gets a certificate.
func enrollByToken(
	manager *rest_management_api_client.ZitiEdgeManagement,
	client *rest_client_api_client.ZitiEdgeClient,
) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if err := createSigner(manager, key); err != nil {
		return err
	}
	now := time.Now()
	token := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
		"iss": issuer, "aud": audience, "sub": "bearer of a token",
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	})
	token.Header["kid"] = keyID
	text, err := token.SignedString(key)
	if err != nil {
		return err
	}
	request := &x509.CertificateRequest{Subject: pkix.Name{CommonName: "bearer"}}
	csr, err := x509.CreateCertificateRequest(rand.Reader, request, key)
	if err != nil {
		return err
	}
	wanted := enroll.NewEnrollTokenParams().WithAuthorization("Bearer " + text).
		WithTokenEnrollmentRequest(&rest_model.TokenEnrollmentRequest{
			ClientCsr: pemOf("CERTIFICATE REQUEST", csr),
		})
	enrolled, err := client.Enroll.EnrollToken(wanted)
	if err != nil {
		return err
	}
	if enrolled.Payload.Data.Cert == "" {
		return errors.New("there is no certificate in the answer")
	}
	return fits(enrolled.Payload)
}

func createSigner(manager *rest_management_api_client.ZitiEdgeManagement, key *ecdsa.PrivateKey) error {
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "signer"},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	text := pemOf("CERTIFICATE", certificate)
	signer := &rest_model.ExternalJWTSignerCreate{
		Name: pointer("signer of the test"), Issuer: pointer(issuer), Audience: pointer(audience),
		Kid: pointer(keyID), Enabled: pointer(true), CertPem: &text, EnrollToCertEnabled: true,
	}
	wanted := external_jwt_signer.NewCreateExternalJWTSignerParams().WithExternalJWTSigner(signer)
	made, err := manager.ExternalJWTSigner.CreateExternalJWTSigner(wanted, nil)
	if err != nil {
		return err
	}
	return fits(made.Payload)
}

// The holder of a certificate is asked to extend it, and to take a new key with that.
func requestExtension(manager *rest_management_api_client.ZitiEdgeManagement) error {
	filter := `method = "cert"`
	listed, err := manager.Authenticator.ListAuthenticators(
		authenticator.NewListAuthenticatorsParams().WithFilter(&filter), nil)
	if err != nil {
		return err
	}
	if len(listed.Payload.Data) == 0 {
		return errors.New("nobody has a certificate")
	}
	wanted := authenticator.NewRequestExtendAuthenticatorParams().
		WithID(*listed.Payload.Data[0].ID).
		WithRequestExtendAuthenticator(&rest_model.RequestExtendAuthenticator{RollKeys: true})
	asked, err := manager.Authenticator.RequestExtendAuthenticator(wanted, nil)
	if err != nil {
		return err
	}
	return fits(asked.Payload)
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func pointer[T any](value T) *T { return &value }
