// The fleet and its routers, each of which dials until it is accepted, and again after a loss.

package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// Time of one attempt, until the hello is answered.
	attemptTime = 5 * time.Second
	// A lost connection is dialed again after so long.
	lostPause = time.Second
)

// What all routers share, and what they are to send: TypeScript has encoded it.
type prepareJob struct {
	Target struct {
		Host       string `json:"host"`
		Port       int    `json:"port"`
		ServerName string `json:"serverName"`
		CA         string `json:"ca"`
		KeyPEM     string `json:"keyPem"`
	} `json:"target"`
	// Pauses between attempts for nothing: the first one, which doubles, and the longest.
	FirstPauseMs   float64 `json:"firstPauseMs"`
	LongestPauseMs float64 `json:"longestPauseMs"`
	// What is offered; Go's own choice if it is empty.
	KeyExchanges    []tls.CurveID `json:"keyExchanges"`
	APISessionsEach int64         `json:"apiSessionsEach"`
	Messages        messages      `json:"messages"`
	Routers         []struct {
		ChainPEM    string  `json:"chainPem"`
		Hello       []byte  `json:"hello"`
		ClientHello message `json:"clientHello"`
	} `json:"routers"`
}

type fleet struct {
	address             string
	firstPause, longest time.Duration
	apiSessionsEach     int64
	messages            messages
	roots               *x509.CertPool
	routers             []*router
	beganAt             time.Time
	beganCPUMs          float64

	// The last certificate of the controller that was verified.
	verified         atomic.Pointer[x509.Certificate]
	exchange         atomic.Value
	forNothing, lost atomic.Int64
	// Routers that were not accepted yet, or are not synced yet; a channel is closed at none.
	unaccepted, unsynced atomic.Int64
	accepted, synced     chan struct{}
	// The same for the whole model of the network.
	uninformed atomic.Int64
	informed   chan struct{}
	// The largest model that came, in bytes.
	modelBytes atomic.Int64
}

type router struct {
	fleet  *fleet
	config *tls.Config
	// The first frame.
	hello       []byte
	clientHello message
	connected   atomic.Bool
	// Since the first dial of the fleet, in ns; 0 while it has not happened.
	acceptedAt, syncedAt, informedAt atomic.Int64
	// API sessions of the full state.
	apiSessions atomic.Int64
}

func newFleet(asked prepareJob) (*fleet, error) {
	made := &fleet{
		address:         net.JoinHostPort(asked.Target.Host, strconv.Itoa(asked.Target.Port)),
		firstPause:      milliseconds(asked.FirstPauseMs),
		longest:         milliseconds(asked.LongestPauseMs),
		apiSessionsEach: asked.APISessionsEach,
		messages:        asked.Messages,
		roots:           x509.NewCertPool(),
		accepted:        make(chan struct{}),
		synced:          make(chan struct{}),
		informed:        make(chan struct{}),
	}
	if !made.roots.AppendCertsFromPEM([]byte(asked.Target.CA)) {
		return nil, errors.New("the controller's CA is no certificate")
	}
	for _, one := range asked.Routers {
		// A router has read its files long before it connects again.
		shown, err := tls.X509KeyPair([]byte(one.ChainPEM), []byte(asked.Target.KeyPEM))
		if err != nil {
			return nil, err
		}
		config := &tls.Config{
			ServerName: asked.Target.ServerName,
			NextProtos: []string{"ziti-ctrl"},
			// Nil, as TLS takes a list without entries for one that offers none.
			CurvePreferences: asked.KeyExchanges,
			// Go itself would verify the same chain anew in each handshake.
			InsecureSkipVerify: true,
			VerifyConnection:   made.verify,
			GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
				return &shown, nil
			},
		}
		made.routers = append(made.routers, &router{
			fleet: made, config: config, hello: one.Hello, clientHello: one.ClientHello,
		})
	}
	made.unaccepted.Store(int64(len(made.routers)))
	made.unsynced.Store(int64(len(made.routers)))
	made.uninformed.Store(int64(len(made.routers)))
	return made, nil
}

func (f *fleet) verify(state tls.ConnectionState) error {
	leaf := state.PeerCertificates[0]
	if known := f.verified.Load(); known != nil && bytes.Equal(known.Raw, leaf.Raw) {
		return nil
	}
	between := x509.NewCertPool()
	for _, one := range state.PeerCertificates[1:] {
		between.AddCert(one)
	}
	how := x509.VerifyOptions{DNSName: state.ServerName, Roots: f.roots, Intermediates: between}
	if _, err := leaf.Verify(how); err != nil {
		return err
	}
	f.verified.Store(leaf)
	f.exchange.Store(state.CurveID.String())
	return nil
}

// All begin within this time, evenly.
func (f *fleet) dial(spread time.Duration) {
	f.beganCPUMs, f.beganAt = processMs(), time.Now()
	for n, one := range f.routers {
		go one.run(spread * time.Duration(n) / time.Duration(len(f.routers)))
	}
}

func (r *router) run(wait time.Duration) {
	pause := r.fleet.firstPause
	for time.Sleep(wait); ; time.Sleep(wait) {
		if r.attempt() {
			r.fleet.lost.Add(1)
			wait, pause = lostPause, r.fleet.firstPause
			continue
		}
		r.fleet.forNothing.Add(1)
		wait, pause = pause, min(2*pause, r.fleet.longest)
	}
}

// Answers when the connection has ended: whether the hello had been accepted.
func (r *router) attempt() bool {
	until := time.Now().Add(attemptTime)
	raw, err := (&net.Dialer{Deadline: until}).Dial("tcp", r.fleet.address)
	if err != nil {
		return false
	}
	defer raw.Close()
	session := tls.Client(raw, r.config)
	if session.SetDeadline(until) != nil {
		return false
	}
	if _, err := session.Write(r.hello); err != nil {
		return false
	}
	wire := &channel{session: session}
	if !wire.isAccepted() || session.SetDeadline(time.Time{}) != nil {
		return false
	}
	r.connected.Store(true)
	defer r.connected.Store(false)
	r.note(&r.acceptedAt, &r.fleet.unaccepted, r.fleet.accepted)
	if r.syncedAt.Load() == 0 {
		r.apiSessions.Store(0)
	}
	wire.serve(r)
	return true
}

// Notes when something happened to this router for the first time.
func (r *router) note(at, missing *atomic.Int64, none chan<- struct{}) {
	if at.CompareAndSwap(0, int64(time.Since(r.fleet.beganAt))) && missing.Add(-1) == 0 {
		close(none)
	}
}

// A part of the full state has arrived.
func (r *router) added(count int64, isLast bool) {
	if r.syncedAt.Load() != 0 {
		return
	}
	r.apiSessions.Add(count)
	if isLast {
		r.note(&r.syncedAt, &r.fleet.unsynced, r.fleet.synced)
	}
}
