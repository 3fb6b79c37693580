// What the controller says about clients: their API sessions, and the keys that vouch for tokens and
// certificates.
package main

import (
	"crypto"
	"crypto/sha1"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

type apiSession struct {
	token        string
	id           string
	fingerprints []string
}

func apiSessionIn(body []byte) (apiSession, error) {
	var read apiSession
	err := entries(body, func(one entry) error {
		switch one.number {
		case 1:
			read.token = string(one.bytes)
		case 2:
			read.fingerprints = append(read.fingerprints, string(one.bytes))
		case 3:
			read.id = string(one.bytes)
		}
		return nil
	})
	return read, err
}

// API sessions by their tokens.
type sessions struct {
	lock    sync.Mutex
	byToken map[string]apiSession
	// Those of the full state that is arriving.
	arriving map[string]bool
}

func newSessions() *sessions {
	return &sessions{byToken: map[string]apiSession{}}
}

// Takes what came in a message. Of a full state, the last chunk removes what was not in it.
func (known *sessions) add(read []apiSession, isFirst bool, isLastOfAll bool) {
	known.lock.Lock()
	defer known.lock.Unlock()
	if isFirst {
		known.arriving = map[string]bool{}
	}
	for _, one := range read {
		known.byToken[one.token] = one
		if known.arriving != nil {
			known.arriving[one.token] = true
		}
	}
	if isLastOfAll && known.arriving != nil {
		for token := range known.byToken {
			if !known.arriving[token] {
				delete(known.byToken, token)
			}
		}
		known.arriving = nil
	}
}

func (known *sessions) remove(token string) {
	known.lock.Lock()
	defer known.lock.Unlock()
	delete(known.byToken, token)
}

// The API session of a token, waited for up to 5 s.
func (known *sessions) find(token string) (apiSession, bool) {
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		known.lock.Lock()
		found, isThere := known.byToken[token]
		known.lock.Unlock()
		if isThere || time.Now().After(end) {
			return found, isThere
		}
	}
}

// Whether a client with these certificates may use the token.
func (known *sessions) check(token string, shown []*x509.Certificate) error {
	found, isThere := known.find(token)
	if !isThere {
		return errors.New("no api session found for token")
	}
	if len(shown) == 0 {
		return errors.New("no client certificate was shown")
	}
	sum := sha1.Sum(shown[0].Raw)
	if !slices.Contains(found.fingerprints, hex.EncodeToString(sum[:])) {
		return errors.New("invalid client certificate for api session")
	}
	return nil
}

// Public keys by their ids, each for tokens or for certificates of clients.
type publicKeys struct {
	lock     sync.Mutex
	ofTokens map[string]crypto.PublicKey
	trusted  map[string]*x509.Certificate
}

func newPublicKeys() *publicKeys {
	return &publicKeys{
		ofTokens: map[string]crypto.PublicKey{}, trusted: map[string]*x509.Certificate{},
	}
}

// Takes the changes of public keys in a change set.
func (known *publicKeys) apply(body []byte) error {
	return entries(body, func(change entry) error {
		if change.number != 3 {
			return nil
		}
		isRemoval := false
		return entries(change.bytes, func(one entry) error {
			if one.number == 1 {
				isRemoval = one.integer == 2
			}
			if one.number == 14 {
				return known.change(one.bytes, isRemoval)
			}
			return nil
		})
	})
}

func (known *publicKeys) change(body []byte, isRemoval bool) error {
	var data, usages []byte
	var id string
	isCertificate := true
	err := entries(body, func(one entry) error {
		switch one.number {
		case 1:
			data = one.bytes
		case 2:
			id = string(one.bytes)
		case 3:
			// Packed, or one by one.
			usages = append(usages, one.bytes...)
			if one.bytes == nil {
				usages = append(usages, byte(one.integer))
			}
		case 4:
			isCertificate = one.integer == 0
		}
		return nil
	})
	if err != nil {
		return err
	}
	known.lock.Lock()
	defer known.lock.Unlock()
	delete(known.ofTokens, id)
	delete(known.trusted, id)
	if isRemoval {
		return nil
	}
	if slices.Contains(usages, 0) {
		if known.ofTokens[id], err = keyOf(data, isCertificate); err != nil {
			return err
		}
	}
	if slices.Contains(usages, 1) {
		if known.trusted[id], err = x509.ParseCertificate(data); err != nil {
			return err
		}
	}
	return nil
}

// Whether the certificates that a client showed lead to one that is trusted. Dates do not matter.
func (known *publicKeys) trust(shown []*x509.Certificate) error {
	known.lock.Lock()
	defer known.lock.Unlock()
	options := x509.VerifyOptions{
		Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool(),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	}
	for _, one := range known.trusted {
		options.Roots.AddCert(one)
	}
	if len(shown) == 0 {
		return errors.New("no client certificate was shown")
	}
	for _, one := range shown[1:] {
		options.Intermediates.AddCert(one)
	}
	options.CurrentTime = shown[0].NotBefore.Add(time.Second)
	_, err := shown[0].Verify(options)
	return err
}

// The claims of a service session that a router reads.
type sessionClaims struct {
	jwt.RegisteredClaims
	APISession string `json:"z_asid"`
	Kind       string `json:"z_t"`
	Type       string `json:"z_st"`
}

// Checks the token of a service session, as it is presented for a bind.
func (known *publicKeys) sessionOf(token string) (*sessionClaims, error) {
	claims := &sessionClaims{}
	_, err := jwt.ParseWithClaims(token, claims, func(read *jwt.Token) (any, error) {
		id, _ := read.Header["kid"].(string)
		known.lock.Lock()
		defer known.lock.Unlock()
		key, isThere := known.ofTokens[id]
		if !isThere {
			return nil, fmt.Errorf("public key not found: %q", id)
		}
		return key, nil
	})
	if err == nil && claims.Kind != "s" {
		err = errors.New("this is no token of a service session")
	}
	return claims, err
}

// The claims of a token, unverified.
func claimsIn(token string) (*sessionClaims, error) {
	claims := &sessionClaims{}
	_, _, err := jwt.NewParser().ParseUnverified(token, claims)
	return claims, err
}
