// Every list of the management API, read by its generated client.
package main

import (
	"github.com/go-openapi/runtime"
	"github.com/openziti/edge-api/rest_management_api_client"
	"github.com/openziti/edge-api/rest_management_api_client/api_session"
	"github.com/openziti/edge-api/rest_management_api_client/auth_policy"
	"github.com/openziti/edge-api/rest_management_api_client/authenticator"
	"github.com/openziti/edge-api/rest_management_api_client/certificate_authority"
	"github.com/openziti/edge-api/rest_management_api_client/config"
	"github.com/openziti/edge-api/rest_management_api_client/controllers"
	"github.com/openziti/edge-api/rest_management_api_client/current_api_session"
	"github.com/openziti/edge-api/rest_management_api_client/current_identity"
	"github.com/openziti/edge-api/rest_management_api_client/edge_router"
	"github.com/openziti/edge-api/rest_management_api_client/edge_router_policy"
	"github.com/openziti/edge-api/rest_management_api_client/enrollment"
	"github.com/openziti/edge-api/rest_management_api_client/external_jwt_signer"
	"github.com/openziti/edge-api/rest_management_api_client/identity"
	"github.com/openziti/edge-api/rest_management_api_client/informational"
	"github.com/openziti/edge-api/rest_management_api_client/posture_checks"
	"github.com/openziti/edge-api/rest_management_api_client/role_attributes"
	"github.com/openziti/edge-api/rest_management_api_client/router"
	"github.com/openziti/edge-api/rest_management_api_client/service"
	"github.com/openziti/edge-api/rest_management_api_client/service_edge_router_policy"
	"github.com/openziti/edge-api/rest_management_api_client/service_policy"
	"github.com/openziti/edge-api/rest_management_api_client/session"
	"github.com/openziti/edge-api/rest_management_api_client/terminator"
)

type list struct {
	name string
	read func() (any, error)
}

// The answers of one operation, whose payload is a generated model.
type answer[P any] interface{ GetPayload() P }

// An operation that needs a session; the client's own authentication gives it.
func read[P any, A answer[P], Q any, O any](
	call func(Q, runtime.ClientAuthInfoWriter, ...O) (A, error), parameters Q,
) func() (any, error) {
	return func() (any, error) {
		got, err := call(parameters, nil)
		if err != nil {
			return nil, err
		}
		return got.GetPayload(), nil
	}
}

// An operation for everybody.
func readOpenly[P any, A answer[P], Q any, O any](
	call func(Q, ...O) (A, error), parameters Q,
) func() (any, error) {
	return func() (any, error) {
		got, err := call(parameters)
		if err != nil {
			return nil, err
		}
		return got.GetPayload(), nil
	}
}

func lists(client *rest_management_api_client.ZitiEdgeManagement) []list {
	return []list{
		{"API sessions", read(client.APISession.ListAPISessions, api_session.NewListAPISessionsParams())},
		{"auth policies", read(client.AuthPolicy.ListAuthPolicies, auth_policy.NewListAuthPoliciesParams())},
		{"authenticators", read(client.Authenticator.ListAuthenticators, authenticator.NewListAuthenticatorsParams())},
		{"CAs", read(client.CertificateAuthority.ListCas, certificate_authority.NewListCasParams())},
		{"configs", read(client.Config.ListConfigs, config.NewListConfigsParams())},
		{"config types", read(client.Config.ListConfigTypes, config.NewListConfigTypesParams())},
		{"controllers", read(client.Controllers.ListControllers, controllers.NewListControllersParams())},
		{"the own identity", read(client.CurrentIdentity.GetCurrentIdentity, current_identity.NewGetCurrentIdentityParams())},
		{"the own API session", read(client.CurrentAPISession.GetCurrentAPISession, current_api_session.NewGetCurrentAPISessionParams())},
		{"the own authenticators", read(client.CurrentAPISession.ListCurrentIdentityAuthenticators, current_api_session.NewListCurrentIdentityAuthenticatorsParams())},
		{"edge routers", read(client.EdgeRouter.ListEdgeRouters, edge_router.NewListEdgeRoutersParams())},
		{"edge router policies", read(client.EdgeRouterPolicy.ListEdgeRouterPolicies, edge_router_policy.NewListEdgeRouterPoliciesParams())},
		{"enrollments", read(client.Enrollment.ListEnrollments, enrollment.NewListEnrollmentsParams())},
		{"external JWT signers", read(client.ExternalJWTSigner.ListExternalJWTSigners, external_jwt_signer.NewListExternalJWTSignersParams())},
		{"identities", read(client.Identity.ListIdentities, identity.NewListIdentitiesParams())},
		{"identity types", read(client.Identity.ListIdentityTypes, identity.NewListIdentityTypesParams())},
		{"summary", read(client.Informational.ListSummary, informational.NewListSummaryParams())},
		{"posture checks", read(client.PostureChecks.ListPostureChecks, posture_checks.NewListPostureChecksParams())},
		{"posture check types", read(client.PostureChecks.ListPostureCheckTypes, posture_checks.NewListPostureCheckTypesParams())},
		{"role attributes", read(client.RoleAttributes.ListIdentityRoleAttributes, role_attributes.NewListIdentityRoleAttributesParams())},
		{"routers", read(client.Router.ListRouters, router.NewListRoutersParams())},
		{"transit routers", read(client.Router.ListTransitRouters, router.NewListTransitRoutersParams())},
		{"services", read(client.Service.ListServices, service.NewListServicesParams())},
		{"service edge router policies", read(client.ServiceEdgeRouterPolicy.ListServiceEdgeRouterPolicies, service_edge_router_policy.NewListServiceEdgeRouterPoliciesParams())},
		{"service policies", read(client.ServicePolicy.ListServicePolicies, service_policy.NewListServicePoliciesParams())},
		{"sessions", read(client.Session.ListSessions, session.NewListSessionsParams())},
		{"terminators", read(client.Terminator.ListTerminators, terminator.NewListTerminatorsParams())},
		{"version", readOpenly(client.Informational.ListVersion, informational.NewListVersionParams())},
		{"capabilities", readOpenly(client.Informational.ListEnumeratedCapabilities, informational.NewListEnumeratedCapabilitiesParams())},
		{"specifications", readOpenly(client.Informational.ListSpecs, informational.NewListSpecsParams())},
		{"network JWTs", readOpenly(client.Enrollment.ListNetworkJWTs, enrollment.NewListNetworkJWTsParams())},
	}
}
