// Made from the .proto files of this folder by npm run generate. Do not edit.
import * as $protobuf from "protobufjs";
import Long = require("long");

/** Namespace edge. */
export namespace edge {

    /**
     * Properties of a ServerHello.
     * @deprecated Use edge.ServerHello.$Properties instead.
     */
    interface IServerHello extends edge.ServerHello.$Properties {
    }

    /** Represents a ServerHello. */
    class ServerHello {

        /**
         * Constructs a new ServerHello.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.ServerHello.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ServerHello version. */
        version: string;

        /** ServerHello data. */
        data: { [k: string]: string };

        /** ServerHello byteData. */
        byteData: { [k: string]: Uint8Array };

        /**
         * Encodes the specified ServerHello message. Does not implicitly {@link edge.ServerHello.verify|verify} messages.
         * @param message ServerHello message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.ServerHello.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ServerHello message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.ServerHello & edge.ServerHello.$Shape} ServerHello
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.ServerHello & edge.ServerHello.$Shape;
    }

    namespace ServerHello {

        /** Properties of a ServerHello. */
        interface $Properties {

            /** ServerHello version */
            version?: (string|null);

            /** ServerHello data */
            data?: ({ [k: string]: string }|null);

            /** ServerHello byteData */
            byteData?: ({ [k: string]: Uint8Array }|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ServerHello. */
        type $Shape = edge.ServerHello.$Properties;
    }

    /**
     * Properties of a ClientHello.
     * @deprecated Use edge.ClientHello.$Properties instead.
     */
    interface IClientHello extends edge.ClientHello.$Properties {
    }

    /** Represents a ClientHello. */
    class ClientHello {

        /**
         * Constructs a new ClientHello.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.ClientHello.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ClientHello version. */
        version: string;

        /** ClientHello hostname. */
        hostname: string;

        /** ClientHello protocols. */
        protocols: string[];

        /** ClientHello data. */
        data: { [k: string]: string };

        /** ClientHello protocolPorts. */
        protocolPorts: string[];

        /** ClientHello listeners. */
        listeners: edge.Listener.$Properties[];

        /**
         * Encodes the specified ClientHello message. Does not implicitly {@link edge.ClientHello.verify|verify} messages.
         * @param message ClientHello message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.ClientHello.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ClientHello message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.ClientHello & edge.ClientHello.$Shape} ClientHello
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.ClientHello & edge.ClientHello.$Shape;
    }

    namespace ClientHello {

        /** Properties of a ClientHello. */
        interface $Properties {

            /** ClientHello version */
            version?: (string|null);

            /** ClientHello hostname */
            hostname?: (string|null);

            /** ClientHello protocols */
            protocols?: (string[]|null);

            /** ClientHello data */
            data?: ({ [k: string]: string }|null);

            /** ClientHello protocolPorts */
            protocolPorts?: (string[]|null);

            /** ClientHello listeners */
            listeners?: (edge.Listener.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ClientHello. */
        type $Shape = edge.ClientHello.$Properties;
    }

    /**
     * Properties of a Listener.
     * @deprecated Use edge.Listener.$Properties instead.
     */
    interface IListener extends edge.Listener.$Properties {
    }

    /** Represents a Listener. */
    class Listener {

        /**
         * Constructs a new Listener.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.Listener.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Listener address. */
        address?: (edge.Address.$Properties|null);

        /** Listener advertise. */
        advertise?: (edge.Address.$Properties|null);

        /**
         * Encodes the specified Listener message. Does not implicitly {@link edge.Listener.verify|verify} messages.
         * @param message Listener message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.Listener.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Listener message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.Listener & edge.Listener.$Shape} Listener
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.Listener & edge.Listener.$Shape;
    }

    namespace Listener {

        /** Properties of a Listener. */
        interface $Properties {

            /** Listener address */
            address?: (edge.Address.$Properties|null);

            /** Listener advertise */
            advertise?: (edge.Address.$Properties|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Listener. */
        type $Shape = edge.Listener.$Properties;
    }

    /**
     * Properties of an Address.
     * @deprecated Use edge.Address.$Properties instead.
     */
    interface IAddress extends edge.Address.$Properties {
    }

    /** Represents an Address. */
    class Address {

        /**
         * Constructs a new Address.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.Address.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Address value. */
        value: string;

        /** Address protocol. */
        protocol: string;

        /** Address hostname. */
        hostname: string;

        /** Address port. */
        port: number;

        /**
         * Encodes the specified Address message. Does not implicitly {@link edge.Address.verify|verify} messages.
         * @param message Address message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.Address.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an Address message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.Address & edge.Address.$Shape} Address
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.Address & edge.Address.$Shape;
    }

    namespace Address {

        /** Properties of an Address. */
        interface $Properties {

            /** Address value */
            value?: (string|null);

            /** Address protocol */
            protocol?: (string|null);

            /** Address hostname */
            hostname?: (string|null);

            /** Address port */
            port?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an Address. */
        type $Shape = edge.Address.$Properties;
    }

    /**
     * Properties of an ApiSession.
     * @deprecated Use edge.ApiSession.$Properties instead.
     */
    interface IApiSession extends edge.ApiSession.$Properties {
    }

    /** Represents an ApiSession. */
    class ApiSession {

        /**
         * Constructs a new ApiSession.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.ApiSession.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ApiSession token. */
        token: string;

        /** ApiSession certFingerprints. */
        certFingerprints: string[];

        /** ApiSession id. */
        id: string;

        /** ApiSession identityId. */
        identityId: string;

        /**
         * Encodes the specified ApiSession message. Does not implicitly {@link edge.ApiSession.verify|verify} messages.
         * @param message ApiSession message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.ApiSession.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an ApiSession message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.ApiSession & edge.ApiSession.$Shape} ApiSession
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.ApiSession & edge.ApiSession.$Shape;
    }

    namespace ApiSession {

        /** Properties of an ApiSession. */
        interface $Properties {

            /** ApiSession token */
            token?: (string|null);

            /** ApiSession certFingerprints */
            certFingerprints?: (string[]|null);

            /** ApiSession id */
            id?: (string|null);

            /** ApiSession identityId */
            identityId?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an ApiSession. */
        type $Shape = edge.ApiSession.$Properties;
    }

    /**
     * Properties of an ApiSessionAdded.
     * @deprecated Use edge.ApiSessionAdded.$Properties instead.
     */
    interface IApiSessionAdded extends edge.ApiSessionAdded.$Properties {
    }

    /** Represents an ApiSessionAdded. */
    class ApiSessionAdded {

        /**
         * Constructs a new ApiSessionAdded.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.ApiSessionAdded.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ApiSessionAdded isFullState. */
        isFullState: boolean;

        /** ApiSessionAdded apiSessions. */
        apiSessions: edge.ApiSession.$Properties[];

        /**
         * Encodes the specified ApiSessionAdded message. Does not implicitly {@link edge.ApiSessionAdded.verify|verify} messages.
         * @param message ApiSessionAdded message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.ApiSessionAdded.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an ApiSessionAdded message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.ApiSessionAdded & edge.ApiSessionAdded.$Shape} ApiSessionAdded
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.ApiSessionAdded & edge.ApiSessionAdded.$Shape;
    }

    namespace ApiSessionAdded {

        /** Properties of an ApiSessionAdded. */
        interface $Properties {

            /** ApiSessionAdded isFullState */
            isFullState?: (boolean|null);

            /** ApiSessionAdded apiSessions */
            apiSessions?: (edge.ApiSession.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an ApiSessionAdded. */
        type $Shape = edge.ApiSessionAdded.$Properties;
    }

    /**
     * Properties of an ApiSessionUpdated.
     * @deprecated Use edge.ApiSessionUpdated.$Properties instead.
     */
    interface IApiSessionUpdated extends edge.ApiSessionUpdated.$Properties {
    }

    /** Represents an ApiSessionUpdated. */
    class ApiSessionUpdated {

        /**
         * Constructs a new ApiSessionUpdated.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.ApiSessionUpdated.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ApiSessionUpdated apiSessions. */
        apiSessions: edge.ApiSession.$Properties[];

        /**
         * Encodes the specified ApiSessionUpdated message. Does not implicitly {@link edge.ApiSessionUpdated.verify|verify} messages.
         * @param message ApiSessionUpdated message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.ApiSessionUpdated.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an ApiSessionUpdated message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.ApiSessionUpdated & edge.ApiSessionUpdated.$Shape} ApiSessionUpdated
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.ApiSessionUpdated & edge.ApiSessionUpdated.$Shape;
    }

    namespace ApiSessionUpdated {

        /** Properties of an ApiSessionUpdated. */
        interface $Properties {

            /** ApiSessionUpdated apiSessions */
            apiSessions?: (edge.ApiSession.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an ApiSessionUpdated. */
        type $Shape = edge.ApiSessionUpdated.$Properties;
    }

    /**
     * Properties of an ApiSessionRemoved.
     * @deprecated Use edge.ApiSessionRemoved.$Properties instead.
     */
    interface IApiSessionRemoved extends edge.ApiSessionRemoved.$Properties {
    }

    /** Represents an ApiSessionRemoved. */
    class ApiSessionRemoved {

        /**
         * Constructs a new ApiSessionRemoved.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.ApiSessionRemoved.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ApiSessionRemoved tokens. */
        tokens: string[];

        /** ApiSessionRemoved ids. */
        ids: string[];

        /**
         * Encodes the specified ApiSessionRemoved message. Does not implicitly {@link edge.ApiSessionRemoved.verify|verify} messages.
         * @param message ApiSessionRemoved message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.ApiSessionRemoved.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an ApiSessionRemoved message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.ApiSessionRemoved & edge.ApiSessionRemoved.$Shape} ApiSessionRemoved
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.ApiSessionRemoved & edge.ApiSessionRemoved.$Shape;
    }

    namespace ApiSessionRemoved {

        /** Properties of an ApiSessionRemoved. */
        interface $Properties {

            /** ApiSessionRemoved tokens */
            tokens?: (string[]|null);

            /** ApiSessionRemoved ids */
            ids?: (string[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an ApiSessionRemoved. */
        type $Shape = edge.ApiSessionRemoved.$Properties;
    }

    /**
     * Properties of an ApiSessionHeartbeat.
     * @deprecated Use edge.ApiSessionHeartbeat.$Properties instead.
     */
    interface IApiSessionHeartbeat extends edge.ApiSessionHeartbeat.$Properties {
    }

    /** Represents an ApiSessionHeartbeat. */
    class ApiSessionHeartbeat {

        /**
         * Constructs a new ApiSessionHeartbeat.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.ApiSessionHeartbeat.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ApiSessionHeartbeat tokens. */
        tokens: string[];

        /**
         * Encodes the specified ApiSessionHeartbeat message. Does not implicitly {@link edge.ApiSessionHeartbeat.verify|verify} messages.
         * @param message ApiSessionHeartbeat message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.ApiSessionHeartbeat.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an ApiSessionHeartbeat message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.ApiSessionHeartbeat & edge.ApiSessionHeartbeat.$Shape} ApiSessionHeartbeat
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.ApiSessionHeartbeat & edge.ApiSessionHeartbeat.$Shape;
    }

    namespace ApiSessionHeartbeat {

        /** Properties of an ApiSessionHeartbeat. */
        interface $Properties {

            /** ApiSessionHeartbeat tokens */
            tokens?: (string[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an ApiSessionHeartbeat. */
        type $Shape = edge.ApiSessionHeartbeat.$Properties;
    }

    /**
     * Properties of a RequestClientReSync.
     * @deprecated Use edge.RequestClientReSync.$Properties instead.
     */
    interface IRequestClientReSync extends edge.RequestClientReSync.$Properties {
    }

    /** Represents a RequestClientReSync. */
    class RequestClientReSync {

        /**
         * Constructs a new RequestClientReSync.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.RequestClientReSync.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** RequestClientReSync reason. */
        reason: string;

        /**
         * Encodes the specified RequestClientReSync message. Does not implicitly {@link edge.RequestClientReSync.verify|verify} messages.
         * @param message RequestClientReSync message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.RequestClientReSync.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a RequestClientReSync message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.RequestClientReSync & edge.RequestClientReSync.$Shape} RequestClientReSync
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.RequestClientReSync & edge.RequestClientReSync.$Shape;
    }

    namespace RequestClientReSync {

        /** Properties of a RequestClientReSync. */
        interface $Properties {

            /** RequestClientReSync reason */
            reason?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a RequestClientReSync. */
        type $Shape = edge.RequestClientReSync.$Properties;
    }

    /**
     * Properties of a ValidateSessionsRequest.
     * @deprecated Use edge.ValidateSessionsRequest.$Properties instead.
     */
    interface IValidateSessionsRequest extends edge.ValidateSessionsRequest.$Properties {
    }

    /** Represents a ValidateSessionsRequest. */
    class ValidateSessionsRequest {

        /**
         * Constructs a new ValidateSessionsRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.ValidateSessionsRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ValidateSessionsRequest sessionTokens. */
        sessionTokens: string[];

        /**
         * Encodes the specified ValidateSessionsRequest message. Does not implicitly {@link edge.ValidateSessionsRequest.verify|verify} messages.
         * @param message ValidateSessionsRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.ValidateSessionsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ValidateSessionsRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.ValidateSessionsRequest & edge.ValidateSessionsRequest.$Shape} ValidateSessionsRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.ValidateSessionsRequest & edge.ValidateSessionsRequest.$Shape;
    }

    namespace ValidateSessionsRequest {

        /** Properties of a ValidateSessionsRequest. */
        interface $Properties {

            /** ValidateSessionsRequest sessionTokens */
            sessionTokens?: (string[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ValidateSessionsRequest. */
        type $Shape = edge.ValidateSessionsRequest.$Properties;
    }

    /**
     * Properties of a SessionRemoved.
     * @deprecated Use edge.SessionRemoved.$Properties instead.
     */
    interface ISessionRemoved extends edge.SessionRemoved.$Properties {
    }

    /** Represents a SessionRemoved. */
    class SessionRemoved {

        /**
         * Constructs a new SessionRemoved.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.SessionRemoved.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** SessionRemoved tokens. */
        tokens: string[];

        /** SessionRemoved ids. */
        ids: string[];

        /**
         * Encodes the specified SessionRemoved message. Does not implicitly {@link edge.SessionRemoved.verify|verify} messages.
         * @param message SessionRemoved message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.SessionRemoved.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a SessionRemoved message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.SessionRemoved & edge.SessionRemoved.$Shape} SessionRemoved
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.SessionRemoved & edge.SessionRemoved.$Shape;
    }

    namespace SessionRemoved {

        /** Properties of a SessionRemoved. */
        interface $Properties {

            /** SessionRemoved tokens */
            tokens?: (string[]|null);

            /** SessionRemoved ids */
            ids?: (string[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a SessionRemoved. */
        type $Shape = edge.SessionRemoved.$Properties;
    }

    /**
     * Properties of an Error.
     * @deprecated Use edge.Error.$Properties instead.
     */
    interface IError extends edge.Error.$Properties {
    }

    /** Represents an Error. */
    class Error {

        /**
         * Constructs a new Error.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.Error.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Error code. */
        code: string;

        /** Error message. */
        message: string;

        /** Error cause. */
        cause: string;

        /**
         * Encodes the specified Error message. Does not implicitly {@link edge.Error.verify|verify} messages.
         * @param message Error message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.Error.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an Error message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.Error & edge.Error.$Shape} Error
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.Error & edge.Error.$Shape;
    }

    namespace Error {

        /** Properties of an Error. */
        interface $Properties {

            /** Error code */
            code?: (string|null);

            /** Error message */
            message?: (string|null);

            /** Error cause */
            cause?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an Error. */
        type $Shape = edge.Error.$Properties;
    }

    /**
     * Properties of a ConnectEvents.
     * @deprecated Use edge.ConnectEvents.$Properties instead.
     */
    interface IConnectEvents extends edge.ConnectEvents.$Properties {
    }

    /** Represents a ConnectEvents. */
    class ConnectEvents {

        /**
         * Constructs a new ConnectEvents.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.ConnectEvents.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ConnectEvents events. */
        events: edge.IdentityConnectEvents.$Properties[];

        /** ConnectEvents fullState. */
        fullState: boolean;

        /**
         * Encodes the specified ConnectEvents message. Does not implicitly {@link edge.ConnectEvents.verify|verify} messages.
         * @param message ConnectEvents message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.ConnectEvents.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ConnectEvents message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.ConnectEvents & edge.ConnectEvents.$Shape} ConnectEvents
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.ConnectEvents & edge.ConnectEvents.$Shape;
    }

    namespace ConnectEvents {

        /** Properties of a ConnectEvents. */
        interface $Properties {

            /** ConnectEvents events */
            events?: (edge.IdentityConnectEvents.$Properties[]|null);

            /** ConnectEvents fullState */
            fullState?: (boolean|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ConnectEvents. */
        type $Shape = edge.ConnectEvents.$Properties;
    }

    /**
     * Properties of an IdentityConnectEvents.
     * @deprecated Use edge.IdentityConnectEvents.$Properties instead.
     */
    interface IIdentityConnectEvents extends edge.IdentityConnectEvents.$Properties {
    }

    /** Represents an IdentityConnectEvents. */
    class IdentityConnectEvents {

        /**
         * Constructs a new IdentityConnectEvents.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.IdentityConnectEvents.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** IdentityConnectEvents identityId. */
        identityId: string;

        /** IdentityConnectEvents isConnected. */
        isConnected: boolean;

        /** IdentityConnectEvents connectTimes. */
        connectTimes: edge.ConnectDetails.$Properties[];

        /**
         * Encodes the specified IdentityConnectEvents message. Does not implicitly {@link edge.IdentityConnectEvents.verify|verify} messages.
         * @param message IdentityConnectEvents message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.IdentityConnectEvents.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an IdentityConnectEvents message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.IdentityConnectEvents & edge.IdentityConnectEvents.$Shape} IdentityConnectEvents
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.IdentityConnectEvents & edge.IdentityConnectEvents.$Shape;
    }

    namespace IdentityConnectEvents {

        /** Properties of an IdentityConnectEvents. */
        interface $Properties {

            /** IdentityConnectEvents identityId */
            identityId?: (string|null);

            /** IdentityConnectEvents isConnected */
            isConnected?: (boolean|null);

            /** IdentityConnectEvents connectTimes */
            connectTimes?: (edge.ConnectDetails.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an IdentityConnectEvents. */
        type $Shape = edge.IdentityConnectEvents.$Properties;
    }

    /**
     * Properties of a ConnectDetails.
     * @deprecated Use edge.ConnectDetails.$Properties instead.
     */
    interface IConnectDetails extends edge.ConnectDetails.$Properties {
    }

    /** Represents a ConnectDetails. */
    class ConnectDetails {

        /**
         * Constructs a new ConnectDetails.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.ConnectDetails.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ConnectDetails connectTime. */
        connectTime: number;

        /** ConnectDetails srcAddr. */
        srcAddr: string;

        /** ConnectDetails dstAddr. */
        dstAddr: string;

        /**
         * Encodes the specified ConnectDetails message. Does not implicitly {@link edge.ConnectDetails.verify|verify} messages.
         * @param message ConnectDetails message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.ConnectDetails.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ConnectDetails message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.ConnectDetails & edge.ConnectDetails.$Shape} ConnectDetails
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.ConnectDetails & edge.ConnectDetails.$Shape;
    }

    namespace ConnectDetails {

        /** Properties of a ConnectDetails. */
        interface $Properties {

            /** ConnectDetails connectTime */
            connectTime?: (number|null);

            /** ConnectDetails srcAddr */
            srcAddr?: (string|null);

            /** ConnectDetails dstAddr */
            dstAddr?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ConnectDetails. */
        type $Shape = edge.ConnectDetails.$Properties;
    }

    /** TerminatorPrecedence enum. */
    enum TerminatorPrecedence {

        /** DEFAULT value */
        DEFAULT = 0,

        /** REQUIRED value */
        REQUIRED = 1,

        /** FAILED value */
        FAILED = 2
    }

    /**
     * Properties of a CreateTerminatorV2Request.
     * @deprecated Use edge.CreateTerminatorV2Request.$Properties instead.
     */
    interface ICreateTerminatorV2Request extends edge.CreateTerminatorV2Request.$Properties {
    }

    /** Represents a CreateTerminatorV2Request. */
    class CreateTerminatorV2Request {

        /**
         * Constructs a new CreateTerminatorV2Request.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.CreateTerminatorV2Request.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CreateTerminatorV2Request address. */
        address: string;

        /** CreateTerminatorV2Request sessionToken. */
        sessionToken: string;

        /** CreateTerminatorV2Request fingerprints. */
        fingerprints: string[];

        /** CreateTerminatorV2Request peerData. */
        peerData: { [k: string]: Uint8Array };

        /** CreateTerminatorV2Request cost. */
        cost: number;

        /** CreateTerminatorV2Request precedence. */
        precedence: edge.TerminatorPrecedence;

        /** CreateTerminatorV2Request instanceId. */
        instanceId: string;

        /** CreateTerminatorV2Request instanceSecret. */
        instanceSecret: Uint8Array;

        /** CreateTerminatorV2Request apiSessionToken. */
        apiSessionToken: string;

        /**
         * Encodes the specified CreateTerminatorV2Request message. Does not implicitly {@link edge.CreateTerminatorV2Request.verify|verify} messages.
         * @param message CreateTerminatorV2Request message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.CreateTerminatorV2Request.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CreateTerminatorV2Request message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.CreateTerminatorV2Request & edge.CreateTerminatorV2Request.$Shape} CreateTerminatorV2Request
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.CreateTerminatorV2Request & edge.CreateTerminatorV2Request.$Shape;
    }

    namespace CreateTerminatorV2Request {

        /** Properties of a CreateTerminatorV2Request. */
        interface $Properties {

            /** CreateTerminatorV2Request address */
            address?: (string|null);

            /** CreateTerminatorV2Request sessionToken */
            sessionToken?: (string|null);

            /** CreateTerminatorV2Request fingerprints */
            fingerprints?: (string[]|null);

            /** CreateTerminatorV2Request peerData */
            peerData?: ({ [k: string]: Uint8Array }|null);

            /** CreateTerminatorV2Request cost */
            cost?: (number|null);

            /** CreateTerminatorV2Request precedence */
            precedence?: (edge.TerminatorPrecedence|null);

            /** CreateTerminatorV2Request instanceId */
            instanceId?: (string|null);

            /** CreateTerminatorV2Request instanceSecret */
            instanceSecret?: (Uint8Array|null);

            /** CreateTerminatorV2Request apiSessionToken */
            apiSessionToken?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CreateTerminatorV2Request. */
        type $Shape = edge.CreateTerminatorV2Request.$Properties;
    }

    /** CreateTerminatorResult enum. */
    enum CreateTerminatorResult {

        /** SUCCESS value */
        SUCCESS = 0,

        /** ID_CONFLICT value */
        ID_CONFLICT = 1,

        /** OTHER value */
        OTHER = 2,

        /** BUSY value */
        BUSY = 3,

        /** INVALID_SESSION value */
        INVALID_SESSION = 4
    }

    /**
     * Properties of a CreateTerminatorV2Response.
     * @deprecated Use edge.CreateTerminatorV2Response.$Properties instead.
     */
    interface ICreateTerminatorV2Response extends edge.CreateTerminatorV2Response.$Properties {
    }

    /** Represents a CreateTerminatorV2Response. */
    class CreateTerminatorV2Response {

        /**
         * Constructs a new CreateTerminatorV2Response.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.CreateTerminatorV2Response.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CreateTerminatorV2Response terminatorId. */
        terminatorId: string;

        /** CreateTerminatorV2Response result. */
        result: edge.CreateTerminatorResult;

        /** CreateTerminatorV2Response msg. */
        msg: string;

        /** CreateTerminatorV2Response errorCode. */
        errorCode: number;

        /** CreateTerminatorV2Response retryHint. */
        retryHint: number;

        /**
         * Encodes the specified CreateTerminatorV2Response message. Does not implicitly {@link edge.CreateTerminatorV2Response.verify|verify} messages.
         * @param message CreateTerminatorV2Response message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.CreateTerminatorV2Response.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CreateTerminatorV2Response message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.CreateTerminatorV2Response & edge.CreateTerminatorV2Response.$Shape} CreateTerminatorV2Response
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.CreateTerminatorV2Response & edge.CreateTerminatorV2Response.$Shape;
    }

    namespace CreateTerminatorV2Response {

        /** Properties of a CreateTerminatorV2Response. */
        interface $Properties {

            /** CreateTerminatorV2Response terminatorId */
            terminatorId?: (string|null);

            /** CreateTerminatorV2Response result */
            result?: (edge.CreateTerminatorResult|null);

            /** CreateTerminatorV2Response msg */
            msg?: (string|null);

            /** CreateTerminatorV2Response errorCode */
            errorCode?: (number|null);

            /** CreateTerminatorV2Response retryHint */
            retryHint?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CreateTerminatorV2Response. */
        type $Shape = edge.CreateTerminatorV2Response.$Properties;
    }

    /**
     * Properties of a RemoveTerminatorRequest.
     * @deprecated Use edge.RemoveTerminatorRequest.$Properties instead.
     */
    interface IRemoveTerminatorRequest extends edge.RemoveTerminatorRequest.$Properties {
    }

    /** Represents a RemoveTerminatorRequest. */
    class RemoveTerminatorRequest {

        /**
         * Constructs a new RemoveTerminatorRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.RemoveTerminatorRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** RemoveTerminatorRequest sessionToken. */
        sessionToken: string;

        /** RemoveTerminatorRequest fingerprints. */
        fingerprints: string[];

        /** RemoveTerminatorRequest terminatorId. */
        terminatorId: string;

        /** RemoveTerminatorRequest apiSessionToken. */
        apiSessionToken: string;

        /**
         * Encodes the specified RemoveTerminatorRequest message. Does not implicitly {@link edge.RemoveTerminatorRequest.verify|verify} messages.
         * @param message RemoveTerminatorRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.RemoveTerminatorRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a RemoveTerminatorRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.RemoveTerminatorRequest & edge.RemoveTerminatorRequest.$Shape} RemoveTerminatorRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.RemoveTerminatorRequest & edge.RemoveTerminatorRequest.$Shape;
    }

    namespace RemoveTerminatorRequest {

        /** Properties of a RemoveTerminatorRequest. */
        interface $Properties {

            /** RemoveTerminatorRequest sessionToken */
            sessionToken?: (string|null);

            /** RemoveTerminatorRequest fingerprints */
            fingerprints?: (string[]|null);

            /** RemoveTerminatorRequest terminatorId */
            terminatorId?: (string|null);

            /** RemoveTerminatorRequest apiSessionToken */
            apiSessionToken?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a RemoveTerminatorRequest. */
        type $Shape = edge.RemoveTerminatorRequest.$Properties;
    }

    /**
     * Properties of an UpdateTerminatorRequest.
     * @deprecated Use edge.UpdateTerminatorRequest.$Properties instead.
     */
    interface IUpdateTerminatorRequest extends edge.UpdateTerminatorRequest.$Properties {
    }

    /** Represents an UpdateTerminatorRequest. */
    class UpdateTerminatorRequest {

        /**
         * Constructs a new UpdateTerminatorRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.UpdateTerminatorRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** UpdateTerminatorRequest sessionToken. */
        sessionToken: string;

        /** UpdateTerminatorRequest fingerprints. */
        fingerprints: string[];

        /** UpdateTerminatorRequest terminatorId. */
        terminatorId: string;

        /** UpdateTerminatorRequest cost. */
        cost: number;

        /** UpdateTerminatorRequest precedence. */
        precedence: edge.TerminatorPrecedence;

        /** UpdateTerminatorRequest updatePrecedence. */
        updatePrecedence: boolean;

        /** UpdateTerminatorRequest updateCost. */
        updateCost: boolean;

        /** UpdateTerminatorRequest apiSessionToken. */
        apiSessionToken: string;

        /**
         * Encodes the specified UpdateTerminatorRequest message. Does not implicitly {@link edge.UpdateTerminatorRequest.verify|verify} messages.
         * @param message UpdateTerminatorRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.UpdateTerminatorRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an UpdateTerminatorRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.UpdateTerminatorRequest & edge.UpdateTerminatorRequest.$Shape} UpdateTerminatorRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.UpdateTerminatorRequest & edge.UpdateTerminatorRequest.$Shape;
    }

    namespace UpdateTerminatorRequest {

        /** Properties of an UpdateTerminatorRequest. */
        interface $Properties {

            /** UpdateTerminatorRequest sessionToken */
            sessionToken?: (string|null);

            /** UpdateTerminatorRequest fingerprints */
            fingerprints?: (string[]|null);

            /** UpdateTerminatorRequest terminatorId */
            terminatorId?: (string|null);

            /** UpdateTerminatorRequest cost */
            cost?: (number|null);

            /** UpdateTerminatorRequest precedence */
            precedence?: (edge.TerminatorPrecedence|null);

            /** UpdateTerminatorRequest updatePrecedence */
            updatePrecedence?: (boolean|null);

            /** UpdateTerminatorRequest updateCost */
            updateCost?: (boolean|null);

            /** UpdateTerminatorRequest apiSessionToken */
            apiSessionToken?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an UpdateTerminatorRequest. */
        type $Shape = edge.UpdateTerminatorRequest.$Properties;
    }

    /**
     * Properties of a HealthEventRequest.
     * @deprecated Use edge.HealthEventRequest.$Properties instead.
     */
    interface IHealthEventRequest extends edge.HealthEventRequest.$Properties {
    }

    /** Represents a HealthEventRequest. */
    class HealthEventRequest {

        /**
         * Constructs a new HealthEventRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.HealthEventRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** HealthEventRequest sessionToken. */
        sessionToken: string;

        /** HealthEventRequest fingerprints. */
        fingerprints: string[];

        /** HealthEventRequest terminatorId. */
        terminatorId: string;

        /** HealthEventRequest checkPassed. */
        checkPassed: boolean;

        /** HealthEventRequest apiSessionToken. */
        apiSessionToken: string;

        /**
         * Encodes the specified HealthEventRequest message. Does not implicitly {@link edge.HealthEventRequest.verify|verify} messages.
         * @param message HealthEventRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.HealthEventRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a HealthEventRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.HealthEventRequest & edge.HealthEventRequest.$Shape} HealthEventRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.HealthEventRequest & edge.HealthEventRequest.$Shape;
    }

    namespace HealthEventRequest {

        /** Properties of a HealthEventRequest. */
        interface $Properties {

            /** HealthEventRequest sessionToken */
            sessionToken?: (string|null);

            /** HealthEventRequest fingerprints */
            fingerprints?: (string[]|null);

            /** HealthEventRequest terminatorId */
            terminatorId?: (string|null);

            /** HealthEventRequest checkPassed */
            checkPassed?: (boolean|null);

            /** HealthEventRequest apiSessionToken */
            apiSessionToken?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a HealthEventRequest. */
        type $Shape = edge.HealthEventRequest.$Properties;
    }

    /**
     * Properties of a CreateCircuitRequest.
     * @deprecated Use edge.CreateCircuitRequest.$Properties instead.
     */
    interface ICreateCircuitRequest extends edge.CreateCircuitRequest.$Properties {
    }

    /** Represents a CreateCircuitRequest. */
    class CreateCircuitRequest {

        /**
         * Constructs a new CreateCircuitRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.CreateCircuitRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CreateCircuitRequest sessionToken. */
        sessionToken: string;

        /** CreateCircuitRequest fingerprints. */
        fingerprints: string[];

        /** CreateCircuitRequest terminatorInstanceId. */
        terminatorInstanceId: string;

        /** CreateCircuitRequest peerData. */
        peerData: { [k: string]: Uint8Array };

        /** CreateCircuitRequest apiSessionToken. */
        apiSessionToken: string;

        /**
         * Encodes the specified CreateCircuitRequest message. Does not implicitly {@link edge.CreateCircuitRequest.verify|verify} messages.
         * @param message CreateCircuitRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.CreateCircuitRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CreateCircuitRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.CreateCircuitRequest & edge.CreateCircuitRequest.$Shape} CreateCircuitRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.CreateCircuitRequest & edge.CreateCircuitRequest.$Shape;
    }

    namespace CreateCircuitRequest {

        /** Properties of a CreateCircuitRequest. */
        interface $Properties {

            /** CreateCircuitRequest sessionToken */
            sessionToken?: (string|null);

            /** CreateCircuitRequest fingerprints */
            fingerprints?: (string[]|null);

            /** CreateCircuitRequest terminatorInstanceId */
            terminatorInstanceId?: (string|null);

            /** CreateCircuitRequest peerData */
            peerData?: ({ [k: string]: Uint8Array }|null);

            /** CreateCircuitRequest apiSessionToken */
            apiSessionToken?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CreateCircuitRequest. */
        type $Shape = edge.CreateCircuitRequest.$Properties;
    }

    /**
     * Properties of a CreateCircuitResponse.
     * @deprecated Use edge.CreateCircuitResponse.$Properties instead.
     */
    interface ICreateCircuitResponse extends edge.CreateCircuitResponse.$Properties {
    }

    /** Represents a CreateCircuitResponse. */
    class CreateCircuitResponse {

        /**
         * Constructs a new CreateCircuitResponse.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.CreateCircuitResponse.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CreateCircuitResponse circuitId. */
        circuitId: string;

        /** CreateCircuitResponse address. */
        address: string;

        /** CreateCircuitResponse peerData. */
        peerData: { [k: string]: Uint8Array };

        /** CreateCircuitResponse tags. */
        tags: { [k: string]: string };

        /**
         * Encodes the specified CreateCircuitResponse message. Does not implicitly {@link edge.CreateCircuitResponse.verify|verify} messages.
         * @param message CreateCircuitResponse message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.CreateCircuitResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CreateCircuitResponse message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.CreateCircuitResponse & edge.CreateCircuitResponse.$Shape} CreateCircuitResponse
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.CreateCircuitResponse & edge.CreateCircuitResponse.$Shape;
    }

    namespace CreateCircuitResponse {

        /** Properties of a CreateCircuitResponse. */
        interface $Properties {

            /** CreateCircuitResponse circuitId */
            circuitId?: (string|null);

            /** CreateCircuitResponse address */
            address?: (string|null);

            /** CreateCircuitResponse peerData */
            peerData?: ({ [k: string]: Uint8Array }|null);

            /** CreateCircuitResponse tags */
            tags?: ({ [k: string]: string }|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CreateCircuitResponse. */
        type $Shape = edge.CreateCircuitResponse.$Properties;
    }

    /**
     * Properties of a CreateTunnelCircuitV2Request.
     * @deprecated Use edge.CreateTunnelCircuitV2Request.$Properties instead.
     */
    interface ICreateTunnelCircuitV2Request extends edge.CreateTunnelCircuitV2Request.$Properties {
    }

    /** Represents a CreateTunnelCircuitV2Request. */
    class CreateTunnelCircuitV2Request {

        /**
         * Constructs a new CreateTunnelCircuitV2Request.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.CreateTunnelCircuitV2Request.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CreateTunnelCircuitV2Request serviceName. */
        serviceName: string;

        /** CreateTunnelCircuitV2Request terminatorInstanceId. */
        terminatorInstanceId: string;

        /** CreateTunnelCircuitV2Request peerData. */
        peerData: { [k: string]: Uint8Array };

        /**
         * Encodes the specified CreateTunnelCircuitV2Request message. Does not implicitly {@link edge.CreateTunnelCircuitV2Request.verify|verify} messages.
         * @param message CreateTunnelCircuitV2Request message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.CreateTunnelCircuitV2Request.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CreateTunnelCircuitV2Request message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.CreateTunnelCircuitV2Request & edge.CreateTunnelCircuitV2Request.$Shape} CreateTunnelCircuitV2Request
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.CreateTunnelCircuitV2Request & edge.CreateTunnelCircuitV2Request.$Shape;
    }

    namespace CreateTunnelCircuitV2Request {

        /** Properties of a CreateTunnelCircuitV2Request. */
        interface $Properties {

            /** CreateTunnelCircuitV2Request serviceName */
            serviceName?: (string|null);

            /** CreateTunnelCircuitV2Request terminatorInstanceId */
            terminatorInstanceId?: (string|null);

            /** CreateTunnelCircuitV2Request peerData */
            peerData?: ({ [k: string]: Uint8Array }|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CreateTunnelCircuitV2Request. */
        type $Shape = edge.CreateTunnelCircuitV2Request.$Properties;
    }

    /**
     * Properties of a CreateTunnelCircuitV2Response.
     * @deprecated Use edge.CreateTunnelCircuitV2Response.$Properties instead.
     */
    interface ICreateTunnelCircuitV2Response extends edge.CreateTunnelCircuitV2Response.$Properties {
    }

    /** Represents a CreateTunnelCircuitV2Response. */
    class CreateTunnelCircuitV2Response {

        /**
         * Constructs a new CreateTunnelCircuitV2Response.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.CreateTunnelCircuitV2Response.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CreateTunnelCircuitV2Response circuitId. */
        circuitId: string;

        /** CreateTunnelCircuitV2Response address. */
        address: string;

        /** CreateTunnelCircuitV2Response peerData. */
        peerData: { [k: string]: Uint8Array };

        /** CreateTunnelCircuitV2Response tags. */
        tags: { [k: string]: string };

        /**
         * Encodes the specified CreateTunnelCircuitV2Response message. Does not implicitly {@link edge.CreateTunnelCircuitV2Response.verify|verify} messages.
         * @param message CreateTunnelCircuitV2Response message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.CreateTunnelCircuitV2Response.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CreateTunnelCircuitV2Response message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.CreateTunnelCircuitV2Response & edge.CreateTunnelCircuitV2Response.$Shape} CreateTunnelCircuitV2Response
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.CreateTunnelCircuitV2Response & edge.CreateTunnelCircuitV2Response.$Shape;
    }

    namespace CreateTunnelCircuitV2Response {

        /** Properties of a CreateTunnelCircuitV2Response. */
        interface $Properties {

            /** CreateTunnelCircuitV2Response circuitId */
            circuitId?: (string|null);

            /** CreateTunnelCircuitV2Response address */
            address?: (string|null);

            /** CreateTunnelCircuitV2Response peerData */
            peerData?: ({ [k: string]: Uint8Array }|null);

            /** CreateTunnelCircuitV2Response tags */
            tags?: ({ [k: string]: string }|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CreateTunnelCircuitV2Response. */
        type $Shape = edge.CreateTunnelCircuitV2Response.$Properties;
    }

    /**
     * Properties of a CreateTunnelTerminatorRequestV2.
     * @deprecated Use edge.CreateTunnelTerminatorRequestV2.$Properties instead.
     */
    interface ICreateTunnelTerminatorRequestV2 extends edge.CreateTunnelTerminatorRequestV2.$Properties {
    }

    /** Represents a CreateTunnelTerminatorRequestV2. */
    class CreateTunnelTerminatorRequestV2 {

        /**
         * Constructs a new CreateTunnelTerminatorRequestV2.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.CreateTunnelTerminatorRequestV2.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CreateTunnelTerminatorRequestV2 serviceId. */
        serviceId: string;

        /** CreateTunnelTerminatorRequestV2 address. */
        address: string;

        /** CreateTunnelTerminatorRequestV2 peerData. */
        peerData: { [k: string]: Uint8Array };

        /** CreateTunnelTerminatorRequestV2 cost. */
        cost: number;

        /** CreateTunnelTerminatorRequestV2 precedence. */
        precedence: edge.TerminatorPrecedence;

        /** CreateTunnelTerminatorRequestV2 instanceId. */
        instanceId: string;

        /** CreateTunnelTerminatorRequestV2 instanceSecret. */
        instanceSecret: Uint8Array;

        /** CreateTunnelTerminatorRequestV2 startTime. */
        startTime: number;

        /**
         * Encodes the specified CreateTunnelTerminatorRequestV2 message. Does not implicitly {@link edge.CreateTunnelTerminatorRequestV2.verify|verify} messages.
         * @param message CreateTunnelTerminatorRequestV2 message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.CreateTunnelTerminatorRequestV2.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CreateTunnelTerminatorRequestV2 message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.CreateTunnelTerminatorRequestV2 & edge.CreateTunnelTerminatorRequestV2.$Shape} CreateTunnelTerminatorRequestV2
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.CreateTunnelTerminatorRequestV2 & edge.CreateTunnelTerminatorRequestV2.$Shape;
    }

    namespace CreateTunnelTerminatorRequestV2 {

        /** Properties of a CreateTunnelTerminatorRequestV2. */
        interface $Properties {

            /** CreateTunnelTerminatorRequestV2 serviceId */
            serviceId?: (string|null);

            /** CreateTunnelTerminatorRequestV2 address */
            address?: (string|null);

            /** CreateTunnelTerminatorRequestV2 peerData */
            peerData?: ({ [k: string]: Uint8Array }|null);

            /** CreateTunnelTerminatorRequestV2 cost */
            cost?: (number|null);

            /** CreateTunnelTerminatorRequestV2 precedence */
            precedence?: (edge.TerminatorPrecedence|null);

            /** CreateTunnelTerminatorRequestV2 instanceId */
            instanceId?: (string|null);

            /** CreateTunnelTerminatorRequestV2 instanceSecret */
            instanceSecret?: (Uint8Array|null);

            /** CreateTunnelTerminatorRequestV2 startTime */
            startTime?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CreateTunnelTerminatorRequestV2. */
        type $Shape = edge.CreateTunnelTerminatorRequestV2.$Properties;
    }

    /**
     * Properties of a CreateTunnelTerminatorResponseV2.
     * @deprecated Use edge.CreateTunnelTerminatorResponseV2.$Properties instead.
     */
    interface ICreateTunnelTerminatorResponseV2 extends edge.CreateTunnelTerminatorResponseV2.$Properties {
    }

    /** Represents a CreateTunnelTerminatorResponseV2. */
    class CreateTunnelTerminatorResponseV2 {

        /**
         * Constructs a new CreateTunnelTerminatorResponseV2.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.CreateTunnelTerminatorResponseV2.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CreateTunnelTerminatorResponseV2 terminatorId. */
        terminatorId: string;

        /** CreateTunnelTerminatorResponseV2 startTime. */
        startTime: number;

        /** CreateTunnelTerminatorResponseV2 result. */
        result: edge.CreateTerminatorResult;

        /** CreateTunnelTerminatorResponseV2 msg. */
        msg: string;

        /** CreateTunnelTerminatorResponseV2 errorCode. */
        errorCode: number;

        /** CreateTunnelTerminatorResponseV2 retryHint. */
        retryHint: number;

        /**
         * Encodes the specified CreateTunnelTerminatorResponseV2 message. Does not implicitly {@link edge.CreateTunnelTerminatorResponseV2.verify|verify} messages.
         * @param message CreateTunnelTerminatorResponseV2 message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.CreateTunnelTerminatorResponseV2.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CreateTunnelTerminatorResponseV2 message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.CreateTunnelTerminatorResponseV2 & edge.CreateTunnelTerminatorResponseV2.$Shape} CreateTunnelTerminatorResponseV2
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.CreateTunnelTerminatorResponseV2 & edge.CreateTunnelTerminatorResponseV2.$Shape;
    }

    namespace CreateTunnelTerminatorResponseV2 {

        /** Properties of a CreateTunnelTerminatorResponseV2. */
        interface $Properties {

            /** CreateTunnelTerminatorResponseV2 terminatorId */
            terminatorId?: (string|null);

            /** CreateTunnelTerminatorResponseV2 startTime */
            startTime?: (number|null);

            /** CreateTunnelTerminatorResponseV2 result */
            result?: (edge.CreateTerminatorResult|null);

            /** CreateTunnelTerminatorResponseV2 msg */
            msg?: (string|null);

            /** CreateTunnelTerminatorResponseV2 errorCode */
            errorCode?: (number|null);

            /** CreateTunnelTerminatorResponseV2 retryHint */
            retryHint?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CreateTunnelTerminatorResponseV2. */
        type $Shape = edge.CreateTunnelTerminatorResponseV2.$Properties;
    }

    /**
     * Properties of an UpdateTunnelTerminatorRequest.
     * @deprecated Use edge.UpdateTunnelTerminatorRequest.$Properties instead.
     */
    interface IUpdateTunnelTerminatorRequest extends edge.UpdateTunnelTerminatorRequest.$Properties {
    }

    /** Represents an UpdateTunnelTerminatorRequest. */
    class UpdateTunnelTerminatorRequest {

        /**
         * Constructs a new UpdateTunnelTerminatorRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.UpdateTunnelTerminatorRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** UpdateTunnelTerminatorRequest terminatorId. */
        terminatorId: string;

        /** UpdateTunnelTerminatorRequest cost. */
        cost: number;

        /** UpdateTunnelTerminatorRequest precedence. */
        precedence: edge.TerminatorPrecedence;

        /** UpdateTunnelTerminatorRequest updatePrecedence. */
        updatePrecedence: boolean;

        /** UpdateTunnelTerminatorRequest updateCost. */
        updateCost: boolean;

        /**
         * Encodes the specified UpdateTunnelTerminatorRequest message. Does not implicitly {@link edge.UpdateTunnelTerminatorRequest.verify|verify} messages.
         * @param message UpdateTunnelTerminatorRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.UpdateTunnelTerminatorRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an UpdateTunnelTerminatorRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.UpdateTunnelTerminatorRequest & edge.UpdateTunnelTerminatorRequest.$Shape} UpdateTunnelTerminatorRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.UpdateTunnelTerminatorRequest & edge.UpdateTunnelTerminatorRequest.$Shape;
    }

    namespace UpdateTunnelTerminatorRequest {

        /** Properties of an UpdateTunnelTerminatorRequest. */
        interface $Properties {

            /** UpdateTunnelTerminatorRequest terminatorId */
            terminatorId?: (string|null);

            /** UpdateTunnelTerminatorRequest cost */
            cost?: (number|null);

            /** UpdateTunnelTerminatorRequest precedence */
            precedence?: (edge.TerminatorPrecedence|null);

            /** UpdateTunnelTerminatorRequest updatePrecedence */
            updatePrecedence?: (boolean|null);

            /** UpdateTunnelTerminatorRequest updateCost */
            updateCost?: (boolean|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an UpdateTunnelTerminatorRequest. */
        type $Shape = edge.UpdateTunnelTerminatorRequest.$Properties;
    }

    /**
     * Properties of an EnrollmentCertsResponse.
     * @deprecated Use edge.EnrollmentCertsResponse.$Properties instead.
     */
    interface IEnrollmentCertsResponse extends edge.EnrollmentCertsResponse.$Properties {
    }

    /** Represents an EnrollmentCertsResponse. */
    class EnrollmentCertsResponse {

        /**
         * Constructs a new EnrollmentCertsResponse.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.EnrollmentCertsResponse.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** EnrollmentCertsResponse clientCertPem. */
        clientCertPem: string;

        /** EnrollmentCertsResponse serverCertPem. */
        serverCertPem: string;

        /** EnrollmentCertsResponse caCertsPem. */
        caCertsPem: string;

        /**
         * Encodes the specified EnrollmentCertsResponse message. Does not implicitly {@link edge.EnrollmentCertsResponse.verify|verify} messages.
         * @param message EnrollmentCertsResponse message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.EnrollmentCertsResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an EnrollmentCertsResponse message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.EnrollmentCertsResponse & edge.EnrollmentCertsResponse.$Shape} EnrollmentCertsResponse
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.EnrollmentCertsResponse & edge.EnrollmentCertsResponse.$Shape;
    }

    namespace EnrollmentCertsResponse {

        /** Properties of an EnrollmentCertsResponse. */
        interface $Properties {

            /** EnrollmentCertsResponse clientCertPem */
            clientCertPem?: (string|null);

            /** EnrollmentCertsResponse serverCertPem */
            serverCertPem?: (string|null);

            /** EnrollmentCertsResponse caCertsPem */
            caCertsPem?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an EnrollmentCertsResponse. */
        type $Shape = edge.EnrollmentCertsResponse.$Properties;
    }

    /**
     * Properties of an EnrollmentExtendRouterRequest.
     * @deprecated Use edge.EnrollmentExtendRouterRequest.$Properties instead.
     */
    interface IEnrollmentExtendRouterRequest extends edge.EnrollmentExtendRouterRequest.$Properties {
    }

    /** Represents an EnrollmentExtendRouterRequest. */
    class EnrollmentExtendRouterRequest {

        /**
         * Constructs a new EnrollmentExtendRouterRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.EnrollmentExtendRouterRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** EnrollmentExtendRouterRequest clientCertCsr. */
        clientCertCsr: string;

        /** EnrollmentExtendRouterRequest serverCertCsr. */
        serverCertCsr: string;

        /** EnrollmentExtendRouterRequest requireVerification. */
        requireVerification: boolean;

        /**
         * Encodes the specified EnrollmentExtendRouterRequest message. Does not implicitly {@link edge.EnrollmentExtendRouterRequest.verify|verify} messages.
         * @param message EnrollmentExtendRouterRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.EnrollmentExtendRouterRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an EnrollmentExtendRouterRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.EnrollmentExtendRouterRequest & edge.EnrollmentExtendRouterRequest.$Shape} EnrollmentExtendRouterRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.EnrollmentExtendRouterRequest & edge.EnrollmentExtendRouterRequest.$Shape;
    }

    namespace EnrollmentExtendRouterRequest {

        /** Properties of an EnrollmentExtendRouterRequest. */
        interface $Properties {

            /** EnrollmentExtendRouterRequest clientCertCsr */
            clientCertCsr?: (string|null);

            /** EnrollmentExtendRouterRequest serverCertCsr */
            serverCertCsr?: (string|null);

            /** EnrollmentExtendRouterRequest requireVerification */
            requireVerification?: (boolean|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an EnrollmentExtendRouterRequest. */
        type $Shape = edge.EnrollmentExtendRouterRequest.$Properties;
    }

    /**
     * Properties of an EnrollmentExtendRouterVerifyRequest.
     * @deprecated Use edge.EnrollmentExtendRouterVerifyRequest.$Properties instead.
     */
    interface IEnrollmentExtendRouterVerifyRequest extends edge.EnrollmentExtendRouterVerifyRequest.$Properties {
    }

    /** Represents an EnrollmentExtendRouterVerifyRequest. */
    class EnrollmentExtendRouterVerifyRequest {

        /**
         * Constructs a new EnrollmentExtendRouterVerifyRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.EnrollmentExtendRouterVerifyRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** EnrollmentExtendRouterVerifyRequest clientCertPem. */
        clientCertPem: string;

        /**
         * Encodes the specified EnrollmentExtendRouterVerifyRequest message. Does not implicitly {@link edge.EnrollmentExtendRouterVerifyRequest.verify|verify} messages.
         * @param message EnrollmentExtendRouterVerifyRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.EnrollmentExtendRouterVerifyRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an EnrollmentExtendRouterVerifyRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.EnrollmentExtendRouterVerifyRequest & edge.EnrollmentExtendRouterVerifyRequest.$Shape} EnrollmentExtendRouterVerifyRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.EnrollmentExtendRouterVerifyRequest & edge.EnrollmentExtendRouterVerifyRequest.$Shape;
    }

    namespace EnrollmentExtendRouterVerifyRequest {

        /** Properties of an EnrollmentExtendRouterVerifyRequest. */
        interface $Properties {

            /** EnrollmentExtendRouterVerifyRequest clientCertPem */
            clientCertPem?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an EnrollmentExtendRouterVerifyRequest. */
        type $Shape = edge.EnrollmentExtendRouterVerifyRequest.$Properties;
    }

    /**
     * Properties of a SubscribeToDataModelRequest.
     * @deprecated Use edge.SubscribeToDataModelRequest.$Properties instead.
     */
    interface ISubscribeToDataModelRequest extends edge.SubscribeToDataModelRequest.$Properties {
    }

    /** Represents a SubscribeToDataModelRequest. */
    class SubscribeToDataModelRequest {

        /**
         * Constructs a new SubscribeToDataModelRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.SubscribeToDataModelRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** SubscribeToDataModelRequest currentIndex. */
        currentIndex: number;

        /** SubscribeToDataModelRequest subscriptionDurationSeconds. */
        subscriptionDurationSeconds: number;

        /** SubscribeToDataModelRequest renew. */
        renew: boolean;

        /** SubscribeToDataModelRequest timelineId. */
        timelineId: string;

        /** SubscribeToDataModelRequest subscriptionId. */
        subscriptionId: string;

        /**
         * Encodes the specified SubscribeToDataModelRequest message. Does not implicitly {@link edge.SubscribeToDataModelRequest.verify|verify} messages.
         * @param message SubscribeToDataModelRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.SubscribeToDataModelRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a SubscribeToDataModelRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.SubscribeToDataModelRequest & edge.SubscribeToDataModelRequest.$Shape} SubscribeToDataModelRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.SubscribeToDataModelRequest & edge.SubscribeToDataModelRequest.$Shape;
    }

    namespace SubscribeToDataModelRequest {

        /** Properties of a SubscribeToDataModelRequest. */
        interface $Properties {

            /** SubscribeToDataModelRequest currentIndex */
            currentIndex?: (number|null);

            /** SubscribeToDataModelRequest subscriptionDurationSeconds */
            subscriptionDurationSeconds?: (number|null);

            /** SubscribeToDataModelRequest renew */
            renew?: (boolean|null);

            /** SubscribeToDataModelRequest timelineId */
            timelineId?: (string|null);

            /** SubscribeToDataModelRequest subscriptionId */
            subscriptionId?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a SubscribeToDataModelRequest. */
        type $Shape = edge.SubscribeToDataModelRequest.$Properties;
    }

    /**
     * Properties of a ChangeSet.
     * @deprecated Use edge.ChangeSet.$Properties instead.
     */
    interface IChangeSet extends edge.ChangeSet.$Properties {
    }

    /** Represents a ChangeSet. */
    class ChangeSet {

        /**
         * Constructs a new ChangeSet.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.ChangeSet.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ChangeSet index. */
        index: number;

        /** ChangeSet isSynthetic. */
        isSynthetic: boolean;

        /** ChangeSet changes. */
        changes: edge.Event.$Properties[];

        /** ChangeSet timestampId. */
        timestampId: string;

        /** ChangeSet previousIndex. */
        previousIndex: number;

        /**
         * Encodes the specified ChangeSet message. Does not implicitly {@link edge.ChangeSet.verify|verify} messages.
         * @param message ChangeSet message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.ChangeSet.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ChangeSet message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.ChangeSet & edge.ChangeSet.$Shape} ChangeSet
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.ChangeSet & edge.ChangeSet.$Shape;
    }

    namespace ChangeSet {

        /** Properties of a ChangeSet. */
        interface $Properties {

            /** ChangeSet index */
            index?: (number|null);

            /** ChangeSet isSynthetic */
            isSynthetic?: (boolean|null);

            /** ChangeSet changes */
            changes?: (edge.Event.$Properties[]|null);

            /** ChangeSet timestampId */
            timestampId?: (string|null);

            /** ChangeSet previousIndex */
            previousIndex?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ChangeSet. */
        type $Shape = edge.ChangeSet.$Properties;
    }

    /**
     * Properties of an Event.
     * @deprecated Use edge.Event.$Properties instead.
     */
    interface IEvent extends edge.Event.$Properties {
    }

    /** Represents an Event. */
    class Event {

        /**
         * Constructs a new Event.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.Event.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Event action. */
        action: edge.Event.Action;

        /** Event isSynthetic. */
        isSynthetic: boolean;

        /** Event publicKey. */
        publicKey?: (edge.PublicKey.$Properties|null);

        /**
         * Encodes the specified Event message. Does not implicitly {@link edge.Event.verify|verify} messages.
         * @param message Event message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.Event.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an Event message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.Event & edge.Event.$Shape} Event
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.Event & edge.Event.$Shape;
    }

    namespace Event {

        /** Properties of an Event. */
        interface $Properties {

            /** Event action */
            action?: (edge.Event.Action|null);

            /** Event isSynthetic */
            isSynthetic?: (boolean|null);

            /** Event publicKey */
            publicKey?: (edge.PublicKey.$Properties|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an Event. */
        type $Shape = edge.Event.$Properties;

        /** Action enum. */
        enum Action {

            /** CREATE value */
            CREATE = 0,

            /** UPDATE value */
            UPDATE = 1,

            /** DELETE value */
            DELETE = 2
        }
    }

    /**
     * Properties of a PublicKey.
     * @deprecated Use edge.PublicKey.$Properties instead.
     */
    interface IPublicKey extends edge.PublicKey.$Properties {
    }

    /** Represents a PublicKey. */
    class PublicKey {

        /**
         * Constructs a new PublicKey.
         * @param [properties] Properties to set
         */
        constructor(properties?: edge.PublicKey.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** PublicKey data. */
        data: Uint8Array;

        /** PublicKey kid. */
        kid: string;

        /** PublicKey usages. */
        usages: edge.PublicKey.Usage[];

        /** PublicKey format. */
        format: edge.PublicKey.Format;

        /**
         * Encodes the specified PublicKey message. Does not implicitly {@link edge.PublicKey.verify|verify} messages.
         * @param message PublicKey message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: edge.PublicKey.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a PublicKey message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {edge.PublicKey & edge.PublicKey.$Shape} PublicKey
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): edge.PublicKey & edge.PublicKey.$Shape;
    }

    namespace PublicKey {

        /** Properties of a PublicKey. */
        interface $Properties {

            /** PublicKey data */
            data?: (Uint8Array|null);

            /** PublicKey kid */
            kid?: (string|null);

            /** PublicKey usages */
            usages?: (edge.PublicKey.Usage[]|null);

            /** PublicKey format */
            format?: (edge.PublicKey.Format|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a PublicKey. */
        type $Shape = edge.PublicKey.$Properties;

        /** Usage enum. */
        enum Usage {

            /** JWT_VALIDATION value */
            JWT_VALIDATION = 0,

            /** CLIENT_CERTIFICATE_VALIDATION value */
            CLIENT_CERTIFICATE_VALIDATION = 1
        }

        /** Format enum. */
        enum Format {

            /** CERTIFICATE value */
            CERTIFICATE = 0,

            /** PUBLIC_KEY value */
            PUBLIC_KEY = 1
        }
    }
}

/** Namespace fabric. */
export namespace fabric {

    /** TerminatorPrecedence enum. */
    enum TerminatorPrecedence {

        /** DEFAULT value */
        DEFAULT = 0,

        /** REQUIRED value */
        REQUIRED = 1,

        /** FAILED value */
        FAILED = 2
    }

    /**
     * Properties of a Terminator.
     * @deprecated Use fabric.Terminator.$Properties instead.
     */
    interface ITerminator extends fabric.Terminator.$Properties {
    }

    /** Represents a Terminator. */
    class Terminator {

        /**
         * Constructs a new Terminator.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.Terminator.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Terminator id. */
        id: string;

        /** Terminator binding. */
        binding: string;

        /** Terminator address. */
        address: string;

        /** Terminator marker. */
        marker: number;

        /**
         * Encodes the specified Terminator message. Does not implicitly {@link fabric.Terminator.verify|verify} messages.
         * @param message Terminator message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.Terminator.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Terminator message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.Terminator & fabric.Terminator.$Shape} Terminator
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Terminator & fabric.Terminator.$Shape;
    }

    namespace Terminator {

        /** Properties of a Terminator. */
        interface $Properties {

            /** Terminator id */
            id?: (string|null);

            /** Terminator binding */
            binding?: (string|null);

            /** Terminator address */
            address?: (string|null);

            /** Terminator marker */
            marker?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Terminator. */
        type $Shape = fabric.Terminator.$Properties;
    }

    /**
     * Properties of a ValidateTerminatorsRequest.
     * @deprecated Use fabric.ValidateTerminatorsRequest.$Properties instead.
     */
    interface IValidateTerminatorsRequest extends fabric.ValidateTerminatorsRequest.$Properties {
    }

    /** Represents a ValidateTerminatorsRequest. */
    class ValidateTerminatorsRequest {

        /**
         * Constructs a new ValidateTerminatorsRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.ValidateTerminatorsRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ValidateTerminatorsRequest terminators. */
        terminators: fabric.Terminator.$Properties[];

        /**
         * Encodes the specified ValidateTerminatorsRequest message. Does not implicitly {@link fabric.ValidateTerminatorsRequest.verify|verify} messages.
         * @param message ValidateTerminatorsRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.ValidateTerminatorsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ValidateTerminatorsRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.ValidateTerminatorsRequest & fabric.ValidateTerminatorsRequest.$Shape} ValidateTerminatorsRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.ValidateTerminatorsRequest & fabric.ValidateTerminatorsRequest.$Shape;
    }

    namespace ValidateTerminatorsRequest {

        /** Properties of a ValidateTerminatorsRequest. */
        interface $Properties {

            /** ValidateTerminatorsRequest terminators */
            terminators?: (fabric.Terminator.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ValidateTerminatorsRequest. */
        type $Shape = fabric.ValidateTerminatorsRequest.$Properties;
    }

    /**
     * Properties of a ValidateTerminatorsV2Request.
     * @deprecated Use fabric.ValidateTerminatorsV2Request.$Properties instead.
     */
    interface IValidateTerminatorsV2Request extends fabric.ValidateTerminatorsV2Request.$Properties {
    }

    /** Represents a ValidateTerminatorsV2Request. */
    class ValidateTerminatorsV2Request {

        /**
         * Constructs a new ValidateTerminatorsV2Request.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.ValidateTerminatorsV2Request.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ValidateTerminatorsV2Request terminators. */
        terminators: fabric.Terminator.$Properties[];

        /** ValidateTerminatorsV2Request fixInvalid. */
        fixInvalid: boolean;

        /** ValidateTerminatorsV2Request postCreate. */
        postCreate: boolean;

        /**
         * Encodes the specified ValidateTerminatorsV2Request message. Does not implicitly {@link fabric.ValidateTerminatorsV2Request.verify|verify} messages.
         * @param message ValidateTerminatorsV2Request message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.ValidateTerminatorsV2Request.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ValidateTerminatorsV2Request message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.ValidateTerminatorsV2Request & fabric.ValidateTerminatorsV2Request.$Shape} ValidateTerminatorsV2Request
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.ValidateTerminatorsV2Request & fabric.ValidateTerminatorsV2Request.$Shape;
    }

    namespace ValidateTerminatorsV2Request {

        /** Properties of a ValidateTerminatorsV2Request. */
        interface $Properties {

            /** ValidateTerminatorsV2Request terminators */
            terminators?: (fabric.Terminator.$Properties[]|null);

            /** ValidateTerminatorsV2Request fixInvalid */
            fixInvalid?: (boolean|null);

            /** ValidateTerminatorsV2Request postCreate */
            postCreate?: (boolean|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ValidateTerminatorsV2Request. */
        type $Shape = fabric.ValidateTerminatorsV2Request.$Properties;
    }

    /** TerminatorInvalidReason enum. */
    enum TerminatorInvalidReason {

        /** UNKNOWN_BINDING value */
        UNKNOWN_BINDING = 0,

        /** UNKNOWN_TERMINATOR value */
        UNKNOWN_TERMINATOR = 1,

        /** BAD_STATE value */
        BAD_STATE = 2
    }

    /**
     * Properties of a RouterTerminatorState.
     * @deprecated Use fabric.RouterTerminatorState.$Properties instead.
     */
    interface IRouterTerminatorState extends fabric.RouterTerminatorState.$Properties {
    }

    /** Represents a RouterTerminatorState. */
    class RouterTerminatorState {

        /**
         * Constructs a new RouterTerminatorState.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.RouterTerminatorState.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** RouterTerminatorState valid. */
        valid: boolean;

        /** RouterTerminatorState reason. */
        reason: fabric.TerminatorInvalidReason;

        /** RouterTerminatorState detail. */
        detail: string;

        /** RouterTerminatorState marker. */
        marker: number;

        /**
         * Encodes the specified RouterTerminatorState message. Does not implicitly {@link fabric.RouterTerminatorState.verify|verify} messages.
         * @param message RouterTerminatorState message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.RouterTerminatorState.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a RouterTerminatorState message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.RouterTerminatorState & fabric.RouterTerminatorState.$Shape} RouterTerminatorState
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.RouterTerminatorState & fabric.RouterTerminatorState.$Shape;
    }

    namespace RouterTerminatorState {

        /** Properties of a RouterTerminatorState. */
        interface $Properties {

            /** RouterTerminatorState valid */
            valid?: (boolean|null);

            /** RouterTerminatorState reason */
            reason?: (fabric.TerminatorInvalidReason|null);

            /** RouterTerminatorState detail */
            detail?: (string|null);

            /** RouterTerminatorState marker */
            marker?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a RouterTerminatorState. */
        type $Shape = fabric.RouterTerminatorState.$Properties;
    }

    /**
     * Properties of a ValidateTerminatorsV2Response.
     * @deprecated Use fabric.ValidateTerminatorsV2Response.$Properties instead.
     */
    interface IValidateTerminatorsV2Response extends fabric.ValidateTerminatorsV2Response.$Properties {
    }

    /** Represents a ValidateTerminatorsV2Response. */
    class ValidateTerminatorsV2Response {

        /**
         * Constructs a new ValidateTerminatorsV2Response.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.ValidateTerminatorsV2Response.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ValidateTerminatorsV2Response states. */
        states: { [k: string]: fabric.RouterTerminatorState.$Properties };

        /**
         * Encodes the specified ValidateTerminatorsV2Response message. Does not implicitly {@link fabric.ValidateTerminatorsV2Response.verify|verify} messages.
         * @param message ValidateTerminatorsV2Response message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.ValidateTerminatorsV2Response.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ValidateTerminatorsV2Response message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.ValidateTerminatorsV2Response & fabric.ValidateTerminatorsV2Response.$Shape} ValidateTerminatorsV2Response
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.ValidateTerminatorsV2Response & fabric.ValidateTerminatorsV2Response.$Shape;
    }

    namespace ValidateTerminatorsV2Response {

        /** Properties of a ValidateTerminatorsV2Response. */
        interface $Properties {

            /** ValidateTerminatorsV2Response states */
            states?: ({ [k: string]: fabric.RouterTerminatorState.$Properties }|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ValidateTerminatorsV2Response. */
        type $Shape = fabric.ValidateTerminatorsV2Response.$Properties;
    }

    /**
     * Properties of a CreateTerminatorRequest.
     * @deprecated Use fabric.CreateTerminatorRequest.$Properties instead.
     */
    interface ICreateTerminatorRequest extends fabric.CreateTerminatorRequest.$Properties {
    }

    /** Represents a CreateTerminatorRequest. */
    class CreateTerminatorRequest {

        /**
         * Constructs a new CreateTerminatorRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.CreateTerminatorRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CreateTerminatorRequest serviceId. */
        serviceId: string;

        /** CreateTerminatorRequest binding. */
        binding: string;

        /** CreateTerminatorRequest address. */
        address: string;

        /** CreateTerminatorRequest peerData. */
        peerData: { [k: string]: Uint8Array };

        /** CreateTerminatorRequest cost. */
        cost: number;

        /** CreateTerminatorRequest precedence. */
        precedence: fabric.TerminatorPrecedence;

        /** CreateTerminatorRequest instanceId. */
        instanceId: string;

        /** CreateTerminatorRequest instanceSecret. */
        instanceSecret: Uint8Array;

        /**
         * Encodes the specified CreateTerminatorRequest message. Does not implicitly {@link fabric.CreateTerminatorRequest.verify|verify} messages.
         * @param message CreateTerminatorRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.CreateTerminatorRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CreateTerminatorRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.CreateTerminatorRequest & fabric.CreateTerminatorRequest.$Shape} CreateTerminatorRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.CreateTerminatorRequest & fabric.CreateTerminatorRequest.$Shape;
    }

    namespace CreateTerminatorRequest {

        /** Properties of a CreateTerminatorRequest. */
        interface $Properties {

            /** CreateTerminatorRequest serviceId */
            serviceId?: (string|null);

            /** CreateTerminatorRequest binding */
            binding?: (string|null);

            /** CreateTerminatorRequest address */
            address?: (string|null);

            /** CreateTerminatorRequest peerData */
            peerData?: ({ [k: string]: Uint8Array }|null);

            /** CreateTerminatorRequest cost */
            cost?: (number|null);

            /** CreateTerminatorRequest precedence */
            precedence?: (fabric.TerminatorPrecedence|null);

            /** CreateTerminatorRequest instanceId */
            instanceId?: (string|null);

            /** CreateTerminatorRequest instanceSecret */
            instanceSecret?: (Uint8Array|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CreateTerminatorRequest. */
        type $Shape = fabric.CreateTerminatorRequest.$Properties;
    }

    /**
     * Properties of a RemoveTerminatorRequest.
     * @deprecated Use fabric.RemoveTerminatorRequest.$Properties instead.
     */
    interface IRemoveTerminatorRequest extends fabric.RemoveTerminatorRequest.$Properties {
    }

    /** Represents a RemoveTerminatorRequest. */
    class RemoveTerminatorRequest {

        /**
         * Constructs a new RemoveTerminatorRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.RemoveTerminatorRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** RemoveTerminatorRequest terminatorId. */
        terminatorId: string;

        /**
         * Encodes the specified RemoveTerminatorRequest message. Does not implicitly {@link fabric.RemoveTerminatorRequest.verify|verify} messages.
         * @param message RemoveTerminatorRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.RemoveTerminatorRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a RemoveTerminatorRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.RemoveTerminatorRequest & fabric.RemoveTerminatorRequest.$Shape} RemoveTerminatorRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.RemoveTerminatorRequest & fabric.RemoveTerminatorRequest.$Shape;
    }

    namespace RemoveTerminatorRequest {

        /** Properties of a RemoveTerminatorRequest. */
        interface $Properties {

            /** RemoveTerminatorRequest terminatorId */
            terminatorId?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a RemoveTerminatorRequest. */
        type $Shape = fabric.RemoveTerminatorRequest.$Properties;
    }

    /**
     * Properties of a RemoveTerminatorsRequest.
     * @deprecated Use fabric.RemoveTerminatorsRequest.$Properties instead.
     */
    interface IRemoveTerminatorsRequest extends fabric.RemoveTerminatorsRequest.$Properties {
    }

    /** Represents a RemoveTerminatorsRequest. */
    class RemoveTerminatorsRequest {

        /**
         * Constructs a new RemoveTerminatorsRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.RemoveTerminatorsRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** RemoveTerminatorsRequest terminatorIds. */
        terminatorIds: string[];

        /**
         * Encodes the specified RemoveTerminatorsRequest message. Does not implicitly {@link fabric.RemoveTerminatorsRequest.verify|verify} messages.
         * @param message RemoveTerminatorsRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.RemoveTerminatorsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a RemoveTerminatorsRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.RemoveTerminatorsRequest & fabric.RemoveTerminatorsRequest.$Shape} RemoveTerminatorsRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.RemoveTerminatorsRequest & fabric.RemoveTerminatorsRequest.$Shape;
    }

    namespace RemoveTerminatorsRequest {

        /** Properties of a RemoveTerminatorsRequest. */
        interface $Properties {

            /** RemoveTerminatorsRequest terminatorIds */
            terminatorIds?: (string[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a RemoveTerminatorsRequest. */
        type $Shape = fabric.RemoveTerminatorsRequest.$Properties;
    }

    /**
     * Properties of an UpdateTerminatorRequest.
     * @deprecated Use fabric.UpdateTerminatorRequest.$Properties instead.
     */
    interface IUpdateTerminatorRequest extends fabric.UpdateTerminatorRequest.$Properties {
    }

    /** Represents an UpdateTerminatorRequest. */
    class UpdateTerminatorRequest {

        /**
         * Constructs a new UpdateTerminatorRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.UpdateTerminatorRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** UpdateTerminatorRequest terminatorId. */
        terminatorId: string;

        /** UpdateTerminatorRequest updatePrecedence. */
        updatePrecedence: boolean;

        /** UpdateTerminatorRequest updateCost. */
        updateCost: boolean;

        /** UpdateTerminatorRequest precedence. */
        precedence: fabric.TerminatorPrecedence;

        /** UpdateTerminatorRequest cost. */
        cost: number;

        /**
         * Encodes the specified UpdateTerminatorRequest message. Does not implicitly {@link fabric.UpdateTerminatorRequest.verify|verify} messages.
         * @param message UpdateTerminatorRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.UpdateTerminatorRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an UpdateTerminatorRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.UpdateTerminatorRequest & fabric.UpdateTerminatorRequest.$Shape} UpdateTerminatorRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.UpdateTerminatorRequest & fabric.UpdateTerminatorRequest.$Shape;
    }

    namespace UpdateTerminatorRequest {

        /** Properties of an UpdateTerminatorRequest. */
        interface $Properties {

            /** UpdateTerminatorRequest terminatorId */
            terminatorId?: (string|null);

            /** UpdateTerminatorRequest updatePrecedence */
            updatePrecedence?: (boolean|null);

            /** UpdateTerminatorRequest updateCost */
            updateCost?: (boolean|null);

            /** UpdateTerminatorRequest precedence */
            precedence?: (fabric.TerminatorPrecedence|null);

            /** UpdateTerminatorRequest cost */
            cost?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an UpdateTerminatorRequest. */
        type $Shape = fabric.UpdateTerminatorRequest.$Properties;
    }

    /**
     * Properties of a CircuitRequest.
     * @deprecated Use fabric.CircuitRequest.$Properties instead.
     */
    interface ICircuitRequest extends fabric.CircuitRequest.$Properties {
    }

    /** Represents a CircuitRequest. */
    class CircuitRequest {

        /**
         * Constructs a new CircuitRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.CircuitRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CircuitRequest ingressId. */
        ingressId: string;

        /** CircuitRequest service. */
        service: string;

        /** CircuitRequest peerData. */
        peerData: { [k: string]: Uint8Array };

        /**
         * Encodes the specified CircuitRequest message. Does not implicitly {@link fabric.CircuitRequest.verify|verify} messages.
         * @param message CircuitRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.CircuitRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CircuitRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.CircuitRequest & fabric.CircuitRequest.$Shape} CircuitRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.CircuitRequest & fabric.CircuitRequest.$Shape;
    }

    namespace CircuitRequest {

        /** Properties of a CircuitRequest. */
        interface $Properties {

            /** CircuitRequest ingressId */
            ingressId?: (string|null);

            /** CircuitRequest service */
            service?: (string|null);

            /** CircuitRequest peerData */
            peerData?: ({ [k: string]: Uint8Array }|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CircuitRequest. */
        type $Shape = fabric.CircuitRequest.$Properties;
    }

    /**
     * Properties of a Route.
     * @deprecated Use fabric.Route.$Properties instead.
     */
    interface IRoute extends fabric.Route.$Properties {
    }

    /** Represents a Route. */
    class Route {

        /**
         * Constructs a new Route.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.Route.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Route circuitId. */
        circuitId: string;

        /** Route attempt. */
        attempt: number;

        /** Route egress. */
        egress?: (fabric.Route.Egress.$Properties|null);

        /** Route forwards. */
        forwards: fabric.Route.Forward.$Properties[];

        /** Route context. */
        context?: (fabric.Route.Context.$Properties|null);

        /** Route timeout. */
        timeout: number;

        /** Route tags. */
        tags: { [k: string]: string };

        /**
         * Encodes the specified Route message. Does not implicitly {@link fabric.Route.verify|verify} messages.
         * @param message Route message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.Route.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Route message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.Route & fabric.Route.$Shape} Route
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Route & fabric.Route.$Shape;
    }

    namespace Route {

        /** Properties of a Route. */
        interface $Properties {

            /** Route circuitId */
            circuitId?: (string|null);

            /** Route attempt */
            attempt?: (number|null);

            /** Route egress */
            egress?: (fabric.Route.Egress.$Properties|null);

            /** Route forwards */
            forwards?: (fabric.Route.Forward.$Properties[]|null);

            /** Route context */
            context?: (fabric.Route.Context.$Properties|null);

            /** Route timeout */
            timeout?: (number|null);

            /** Route tags */
            tags?: ({ [k: string]: string }|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Route. */
        type $Shape = fabric.Route.$Properties;

        /**
         * Properties of an Egress.
         * @deprecated Use fabric.Route.Egress.$Properties instead.
         */
        interface IEgress extends fabric.Route.Egress.$Properties {
        }

        /** Represents an Egress. */
        class Egress {

            /**
             * Constructs a new Egress.
             * @param [properties] Properties to set
             */
            constructor(properties?: fabric.Route.Egress.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Egress binding. */
            binding: string;

            /** Egress address. */
            address: string;

            /** Egress destination. */
            destination: string;

            /** Egress peerData. */
            peerData: { [k: string]: Uint8Array };

            /**
             * Encodes the specified Egress message. Does not implicitly {@link fabric.Route.Egress.verify|verify} messages.
             * @param message Egress message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: fabric.Route.Egress.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an Egress message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {fabric.Route.Egress & fabric.Route.Egress.$Shape} Egress
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Route.Egress & fabric.Route.Egress.$Shape;
        }

        namespace Egress {

            /** Properties of an Egress. */
            interface $Properties {

                /** Egress binding */
                binding?: (string|null);

                /** Egress address */
                address?: (string|null);

                /** Egress destination */
                destination?: (string|null);

                /** Egress peerData */
                peerData?: ({ [k: string]: Uint8Array }|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an Egress. */
            type $Shape = fabric.Route.Egress.$Properties;
        }

        /**
         * Properties of a Forward.
         * @deprecated Use fabric.Route.Forward.$Properties instead.
         */
        interface IForward extends fabric.Route.Forward.$Properties {
        }

        /** Represents a Forward. */
        class Forward {

            /**
             * Constructs a new Forward.
             * @param [properties] Properties to set
             */
            constructor(properties?: fabric.Route.Forward.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Forward srcAddress. */
            srcAddress: string;

            /** Forward dstAddress. */
            dstAddress: string;

            /** Forward dstType. */
            dstType: fabric.DestType;

            /**
             * Encodes the specified Forward message. Does not implicitly {@link fabric.Route.Forward.verify|verify} messages.
             * @param message Forward message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: fabric.Route.Forward.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Forward message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {fabric.Route.Forward & fabric.Route.Forward.$Shape} Forward
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Route.Forward & fabric.Route.Forward.$Shape;
        }

        namespace Forward {

            /** Properties of a Forward. */
            interface $Properties {

                /** Forward srcAddress */
                srcAddress?: (string|null);

                /** Forward dstAddress */
                dstAddress?: (string|null);

                /** Forward dstType */
                dstType?: (fabric.DestType|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Forward. */
            type $Shape = fabric.Route.Forward.$Properties;
        }

        /**
         * Properties of a Context.
         * @deprecated Use fabric.Route.Context.$Properties instead.
         */
        interface IContext extends fabric.Route.Context.$Properties {
        }

        /** Represents a Context. */
        class Context {

            /**
             * Constructs a new Context.
             * @param [properties] Properties to set
             */
            constructor(properties?: fabric.Route.Context.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Context fields. */
            fields: { [k: string]: string };

            /** Context channelMask. */
            channelMask: number;

            /**
             * Encodes the specified Context message. Does not implicitly {@link fabric.Route.Context.verify|verify} messages.
             * @param message Context message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: fabric.Route.Context.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Context message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {fabric.Route.Context & fabric.Route.Context.$Shape} Context
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Route.Context & fabric.Route.Context.$Shape;
        }

        namespace Context {

            /** Properties of a Context. */
            interface $Properties {

                /** Context fields */
                fields?: ({ [k: string]: string }|null);

                /** Context channelMask */
                channelMask?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Context. */
            type $Shape = fabric.Route.Context.$Properties;
        }
    }

    /** DestType enum. */
    enum DestType {

        /** START value */
        START = 0,

        /** END value */
        END = 1,

        /** LINK value */
        LINK = 2
    }

    /**
     * Properties of an Unroute.
     * @deprecated Use fabric.Unroute.$Properties instead.
     */
    interface IUnroute extends fabric.Unroute.$Properties {
    }

    /** Represents an Unroute. */
    class Unroute {

        /**
         * Constructs a new Unroute.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.Unroute.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Unroute circuitId. */
        circuitId: string;

        /** Unroute now. */
        now: boolean;

        /**
         * Encodes the specified Unroute message. Does not implicitly {@link fabric.Unroute.verify|verify} messages.
         * @param message Unroute message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.Unroute.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an Unroute message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.Unroute & fabric.Unroute.$Shape} Unroute
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Unroute & fabric.Unroute.$Shape;
    }

    namespace Unroute {

        /** Properties of an Unroute. */
        interface $Properties {

            /** Unroute circuitId */
            circuitId?: (string|null);

            /** Unroute now */
            now?: (boolean|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an Unroute. */
        type $Shape = fabric.Unroute.$Properties;
    }

    /** FaultSubject enum. */
    enum FaultSubject {

        /** INGRESS value */
        INGRESS = 0,

        /** EGRESS value */
        EGRESS = 1,

        /** LINK_FAULT value */
        LINK_FAULT = 2,

        /** FORWARD value */
        FORWARD = 3,

        /** FORWARD_UNKNOWN_ORIGIN value */
        FORWARD_UNKNOWN_ORIGIN = 4,

        /** LINK_DUPLICATE value */
        LINK_DUPLICATE = 5
    }

    /**
     * Properties of a Fault.
     * @deprecated Use fabric.Fault.$Properties instead.
     */
    interface IFault extends fabric.Fault.$Properties {
    }

    /** Represents a Fault. */
    class Fault {

        /**
         * Constructs a new Fault.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.Fault.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Fault subject. */
        subject: fabric.FaultSubject;

        /** Fault id. */
        id: string;

        /** Fault iteration. */
        iteration: number;

        /**
         * Encodes the specified Fault message. Does not implicitly {@link fabric.Fault.verify|verify} messages.
         * @param message Fault message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.Fault.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Fault message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.Fault & fabric.Fault.$Shape} Fault
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Fault & fabric.Fault.$Shape;
    }

    namespace Fault {

        /** Properties of a Fault. */
        interface $Properties {

            /** Fault subject */
            subject?: (fabric.FaultSubject|null);

            /** Fault id */
            id?: (string|null);

            /** Fault iteration */
            iteration?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Fault. */
        type $Shape = fabric.Fault.$Properties;
    }

    /**
     * Properties of a CircuitConfirmation.
     * @deprecated Use fabric.CircuitConfirmation.$Properties instead.
     */
    interface ICircuitConfirmation extends fabric.CircuitConfirmation.$Properties {
    }

    /** Represents a CircuitConfirmation. */
    class CircuitConfirmation {

        /**
         * Constructs a new CircuitConfirmation.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.CircuitConfirmation.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CircuitConfirmation circuitIds. */
        circuitIds: string[];

        /** CircuitConfirmation idleTimes. */
        idleTimes: { [k: string]: number };

        /**
         * Encodes the specified CircuitConfirmation message. Does not implicitly {@link fabric.CircuitConfirmation.verify|verify} messages.
         * @param message CircuitConfirmation message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.CircuitConfirmation.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CircuitConfirmation message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.CircuitConfirmation & fabric.CircuitConfirmation.$Shape} CircuitConfirmation
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.CircuitConfirmation & fabric.CircuitConfirmation.$Shape;
    }

    namespace CircuitConfirmation {

        /** Properties of a CircuitConfirmation. */
        interface $Properties {

            /** CircuitConfirmation circuitIds */
            circuitIds?: (string[]|null);

            /** CircuitConfirmation idleTimes */
            idleTimes?: ({ [k: string]: number }|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CircuitConfirmation. */
        type $Shape = fabric.CircuitConfirmation.$Properties;
    }

    /**
     * Properties of a LinkListener.
     * @deprecated Use fabric.LinkListener.$Properties instead.
     */
    interface ILinkListener extends fabric.LinkListener.$Properties {
    }

    /** Represents a LinkListener. */
    class LinkListener {

        /**
         * Constructs a new LinkListener.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.LinkListener.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** LinkListener address. */
        address: string;

        /** LinkListener protocol. */
        protocol: string;

        /** LinkListener groups. */
        groups: string[];

        /** LinkListener localBinding. */
        localBinding: string;

        /**
         * Encodes the specified LinkListener message. Does not implicitly {@link fabric.LinkListener.verify|verify} messages.
         * @param message LinkListener message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.LinkListener.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a LinkListener message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.LinkListener & fabric.LinkListener.$Shape} LinkListener
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.LinkListener & fabric.LinkListener.$Shape;
    }

    namespace LinkListener {

        /** Properties of a LinkListener. */
        interface $Properties {

            /** LinkListener address */
            address?: (string|null);

            /** LinkListener protocol */
            protocol?: (string|null);

            /** LinkListener groups */
            groups?: (string[]|null);

            /** LinkListener localBinding */
            localBinding?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a LinkListener. */
        type $Shape = fabric.LinkListener.$Properties;
    }

    /**
     * Properties of a Listeners.
     * @deprecated Use fabric.Listeners.$Properties instead.
     */
    interface IListeners extends fabric.Listeners.$Properties {
    }

    /** Represents a Listeners. */
    class Listeners {

        /**
         * Constructs a new Listeners.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.Listeners.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Listeners listeners. */
        listeners: fabric.LinkListener.$Properties[];

        /**
         * Encodes the specified Listeners message. Does not implicitly {@link fabric.Listeners.verify|verify} messages.
         * @param message Listeners message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.Listeners.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Listeners message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.Listeners & fabric.Listeners.$Shape} Listeners
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Listeners & fabric.Listeners.$Shape;
    }

    namespace Listeners {

        /** Properties of a Listeners. */
        interface $Properties {

            /** Listeners listeners */
            listeners?: (fabric.LinkListener.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Listeners. */
        type $Shape = fabric.Listeners.$Properties;
    }

    /** PeerState enum. */
    enum PeerState {

        /** HEALTHY value */
        HEALTHY = 0,

        /** UNHEALTHY value */
        UNHEALTHY = 1,

        /** REMOVED value */
        REMOVED = 2
    }

    /**
     * Properties of a PeerStateChange.
     * @deprecated Use fabric.PeerStateChange.$Properties instead.
     */
    interface IPeerStateChange extends fabric.PeerStateChange.$Properties {
    }

    /** Represents a PeerStateChange. */
    class PeerStateChange {

        /**
         * Constructs a new PeerStateChange.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.PeerStateChange.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** PeerStateChange id. */
        id: string;

        /** PeerStateChange version. */
        version: string;

        /** PeerStateChange state. */
        state: fabric.PeerState;

        /** PeerStateChange listeners. */
        listeners: fabric.LinkListener.$Properties[];

        /**
         * Encodes the specified PeerStateChange message. Does not implicitly {@link fabric.PeerStateChange.verify|verify} messages.
         * @param message PeerStateChange message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.PeerStateChange.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a PeerStateChange message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.PeerStateChange & fabric.PeerStateChange.$Shape} PeerStateChange
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.PeerStateChange & fabric.PeerStateChange.$Shape;
    }

    namespace PeerStateChange {

        /** Properties of a PeerStateChange. */
        interface $Properties {

            /** PeerStateChange id */
            id?: (string|null);

            /** PeerStateChange version */
            version?: (string|null);

            /** PeerStateChange state */
            state?: (fabric.PeerState|null);

            /** PeerStateChange listeners */
            listeners?: (fabric.LinkListener.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a PeerStateChange. */
        type $Shape = fabric.PeerStateChange.$Properties;
    }

    /**
     * Properties of a PeerStateChanges.
     * @deprecated Use fabric.PeerStateChanges.$Properties instead.
     */
    interface IPeerStateChanges extends fabric.PeerStateChanges.$Properties {
    }

    /** Represents a PeerStateChanges. */
    class PeerStateChanges {

        /**
         * Constructs a new PeerStateChanges.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.PeerStateChanges.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** PeerStateChanges changes. */
        changes: fabric.PeerStateChange.$Properties[];

        /**
         * Encodes the specified PeerStateChanges message. Does not implicitly {@link fabric.PeerStateChanges.verify|verify} messages.
         * @param message PeerStateChanges message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.PeerStateChanges.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a PeerStateChanges message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.PeerStateChanges & fabric.PeerStateChanges.$Shape} PeerStateChanges
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.PeerStateChanges & fabric.PeerStateChanges.$Shape;
    }

    namespace PeerStateChanges {

        /** Properties of a PeerStateChanges. */
        interface $Properties {

            /** PeerStateChanges changes */
            changes?: (fabric.PeerStateChange.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a PeerStateChanges. */
        type $Shape = fabric.PeerStateChanges.$Properties;
    }

    /**
     * Properties of a VerifyRouter.
     * @deprecated Use fabric.VerifyRouter.$Properties instead.
     */
    interface IVerifyRouter extends fabric.VerifyRouter.$Properties {
    }

    /** Represents a VerifyRouter. */
    class VerifyRouter {

        /**
         * Constructs a new VerifyRouter.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.VerifyRouter.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** VerifyRouter routerId. */
        routerId: string;

        /** VerifyRouter fingerprints. */
        fingerprints: string[];

        /**
         * Encodes the specified VerifyRouter message. Does not implicitly {@link fabric.VerifyRouter.verify|verify} messages.
         * @param message VerifyRouter message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.VerifyRouter.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a VerifyRouter message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.VerifyRouter & fabric.VerifyRouter.$Shape} VerifyRouter
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.VerifyRouter & fabric.VerifyRouter.$Shape;
    }

    namespace VerifyRouter {

        /** Properties of a VerifyRouter. */
        interface $Properties {

            /** VerifyRouter routerId */
            routerId?: (string|null);

            /** VerifyRouter fingerprints */
            fingerprints?: (string[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a VerifyRouter. */
        type $Shape = fabric.VerifyRouter.$Properties;
    }

    /**
     * Properties of a LinkConn.
     * @deprecated Use fabric.LinkConn.$Properties instead.
     */
    interface ILinkConn extends fabric.LinkConn.$Properties {
    }

    /** Represents a LinkConn. */
    class LinkConn {

        /**
         * Constructs a new LinkConn.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.LinkConn.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** LinkConn type. */
        type: string;

        /** LinkConn localAddr. */
        localAddr: string;

        /** LinkConn remoteAddr. */
        remoteAddr: string;

        /**
         * Encodes the specified LinkConn message. Does not implicitly {@link fabric.LinkConn.verify|verify} messages.
         * @param message LinkConn message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.LinkConn.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a LinkConn message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.LinkConn & fabric.LinkConn.$Shape} LinkConn
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.LinkConn & fabric.LinkConn.$Shape;
    }

    namespace LinkConn {

        /** Properties of a LinkConn. */
        interface $Properties {

            /** LinkConn type */
            type?: (string|null);

            /** LinkConn localAddr */
            localAddr?: (string|null);

            /** LinkConn remoteAddr */
            remoteAddr?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a LinkConn. */
        type $Shape = fabric.LinkConn.$Properties;
    }

    /**
     * Properties of a LinkConnState.
     * @deprecated Use fabric.LinkConnState.$Properties instead.
     */
    interface ILinkConnState extends fabric.LinkConnState.$Properties {
    }

    /** Represents a LinkConnState. */
    class LinkConnState {

        /**
         * Constructs a new LinkConnState.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.LinkConnState.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** LinkConnState stateIteration. */
        stateIteration: number;

        /** LinkConnState conns. */
        conns: fabric.LinkConn.$Properties[];

        /**
         * Encodes the specified LinkConnState message. Does not implicitly {@link fabric.LinkConnState.verify|verify} messages.
         * @param message LinkConnState message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.LinkConnState.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a LinkConnState message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.LinkConnState & fabric.LinkConnState.$Shape} LinkConnState
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.LinkConnState & fabric.LinkConnState.$Shape;
    }

    namespace LinkConnState {

        /** Properties of a LinkConnState. */
        interface $Properties {

            /** LinkConnState stateIteration */
            stateIteration?: (number|null);

            /** LinkConnState conns */
            conns?: (fabric.LinkConn.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a LinkConnState. */
        type $Shape = fabric.LinkConnState.$Properties;
    }

    /**
     * Properties of a RouterLink.
     * @deprecated Use fabric.RouterLink.$Properties instead.
     */
    interface IRouterLink extends fabric.RouterLink.$Properties {
    }

    /** Represents a RouterLink. */
    class RouterLink {

        /**
         * Constructs a new RouterLink.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.RouterLink.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** RouterLink id. */
        id: string;

        /** RouterLink destRouterId. */
        destRouterId: string;

        /** RouterLink linkProtocol. */
        linkProtocol: string;

        /** RouterLink dialAddress. */
        dialAddress: string;

        /** RouterLink iteration. */
        iteration: number;

        /** RouterLink connState. */
        connState?: (fabric.LinkConnState.$Properties|null);

        /**
         * Encodes the specified RouterLink message. Does not implicitly {@link fabric.RouterLink.verify|verify} messages.
         * @param message RouterLink message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.RouterLink.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a RouterLink message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.RouterLink & fabric.RouterLink.$Shape} RouterLink
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.RouterLink & fabric.RouterLink.$Shape;
    }

    namespace RouterLink {

        /** Properties of a RouterLink. */
        interface $Properties {

            /** RouterLink id */
            id?: (string|null);

            /** RouterLink destRouterId */
            destRouterId?: (string|null);

            /** RouterLink linkProtocol */
            linkProtocol?: (string|null);

            /** RouterLink dialAddress */
            dialAddress?: (string|null);

            /** RouterLink iteration */
            iteration?: (number|null);

            /** RouterLink connState */
            connState?: (fabric.LinkConnState.$Properties|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a RouterLink. */
        type $Shape = fabric.RouterLink.$Properties;
    }

    /**
     * Properties of a RouterLinks.
     * @deprecated Use fabric.RouterLinks.$Properties instead.
     */
    interface IRouterLinks extends fabric.RouterLinks.$Properties {
    }

    /** Represents a RouterLinks. */
    class RouterLinks {

        /**
         * Constructs a new RouterLinks.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.RouterLinks.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** RouterLinks links. */
        links: fabric.RouterLink.$Properties[];

        /** RouterLinks fullRefresh. */
        fullRefresh: boolean;

        /**
         * Encodes the specified RouterLinks message. Does not implicitly {@link fabric.RouterLinks.verify|verify} messages.
         * @param message RouterLinks message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.RouterLinks.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a RouterLinks message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.RouterLinks & fabric.RouterLinks.$Shape} RouterLinks
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.RouterLinks & fabric.RouterLinks.$Shape;
    }

    namespace RouterLinks {

        /** Properties of a RouterLinks. */
        interface $Properties {

            /** RouterLinks links */
            links?: (fabric.RouterLink.$Properties[]|null);

            /** RouterLinks fullRefresh */
            fullRefresh?: (boolean|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a RouterLinks. */
        type $Shape = fabric.RouterLinks.$Properties;
    }

    /**
     * Properties of a LinkStateUpdate.
     * @deprecated Use fabric.LinkStateUpdate.$Properties instead.
     */
    interface ILinkStateUpdate extends fabric.LinkStateUpdate.$Properties {
    }

    /** Represents a LinkStateUpdate. */
    class LinkStateUpdate {

        /**
         * Constructs a new LinkStateUpdate.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.LinkStateUpdate.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** LinkStateUpdate linkId. */
        linkId: string;

        /** LinkStateUpdate linkIteration. */
        linkIteration: number;

        /** LinkStateUpdate connState. */
        connState?: (fabric.LinkConnState.$Properties|null);

        /**
         * Encodes the specified LinkStateUpdate message. Does not implicitly {@link fabric.LinkStateUpdate.verify|verify} messages.
         * @param message LinkStateUpdate message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.LinkStateUpdate.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a LinkStateUpdate message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.LinkStateUpdate & fabric.LinkStateUpdate.$Shape} LinkStateUpdate
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.LinkStateUpdate & fabric.LinkStateUpdate.$Shape;
    }

    namespace LinkStateUpdate {

        /** Properties of a LinkStateUpdate. */
        interface $Properties {

            /** LinkStateUpdate linkId */
            linkId?: (string|null);

            /** LinkStateUpdate linkIteration */
            linkIteration?: (number|null);

            /** LinkStateUpdate connState */
            connState?: (fabric.LinkConnState.$Properties|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a LinkStateUpdate. */
        type $Shape = fabric.LinkStateUpdate.$Properties;
    }

    /**
     * Properties of a CtrlEndpoint.
     * @deprecated Use fabric.CtrlEndpoint.$Properties instead.
     */
    interface ICtrlEndpoint extends fabric.CtrlEndpoint.$Properties {
    }

    /** Represents a CtrlEndpoint. */
    class CtrlEndpoint {

        /**
         * Constructs a new CtrlEndpoint.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.CtrlEndpoint.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CtrlEndpoint address. */
        address: string;

        /** CtrlEndpoint groups. */
        groups: string[];

        /**
         * Encodes the specified CtrlEndpoint message. Does not implicitly {@link fabric.CtrlEndpoint.verify|verify} messages.
         * @param message CtrlEndpoint message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.CtrlEndpoint.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CtrlEndpoint message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.CtrlEndpoint & fabric.CtrlEndpoint.$Shape} CtrlEndpoint
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.CtrlEndpoint & fabric.CtrlEndpoint.$Shape;
    }

    namespace CtrlEndpoint {

        /** Properties of a CtrlEndpoint. */
        interface $Properties {

            /** CtrlEndpoint address */
            address?: (string|null);

            /** CtrlEndpoint groups */
            groups?: (string[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CtrlEndpoint. */
        type $Shape = fabric.CtrlEndpoint.$Properties;
    }

    /**
     * Properties of a CtrlDetail.
     * @deprecated Use fabric.CtrlDetail.$Properties instead.
     */
    interface ICtrlDetail extends fabric.CtrlDetail.$Properties {
    }

    /** Represents a CtrlDetail. */
    class CtrlDetail {

        /**
         * Constructs a new CtrlDetail.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.CtrlDetail.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CtrlDetail id. */
        id: string;

        /** CtrlDetail endpoints. */
        endpoints: fabric.CtrlEndpoint.$Properties[];

        /**
         * Encodes the specified CtrlDetail message. Does not implicitly {@link fabric.CtrlDetail.verify|verify} messages.
         * @param message CtrlDetail message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.CtrlDetail.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CtrlDetail message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.CtrlDetail & fabric.CtrlDetail.$Shape} CtrlDetail
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.CtrlDetail & fabric.CtrlDetail.$Shape;
    }

    namespace CtrlDetail {

        /** Properties of a CtrlDetail. */
        interface $Properties {

            /** CtrlDetail id */
            id?: (string|null);

            /** CtrlDetail endpoints */
            endpoints?: (fabric.CtrlEndpoint.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CtrlDetail. */
        type $Shape = fabric.CtrlDetail.$Properties;
    }

    /**
     * Properties of an UpdateCtrlAddresses.
     * @deprecated Use fabric.UpdateCtrlAddresses.$Properties instead.
     */
    interface IUpdateCtrlAddresses extends fabric.UpdateCtrlAddresses.$Properties {
    }

    /** Represents an UpdateCtrlAddresses. */
    class UpdateCtrlAddresses {

        /**
         * Constructs a new UpdateCtrlAddresses.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.UpdateCtrlAddresses.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** UpdateCtrlAddresses addresses. */
        addresses: string[];

        /** UpdateCtrlAddresses index. */
        index: number;

        /** UpdateCtrlAddresses isLeader. */
        isLeader: boolean;

        /** UpdateCtrlAddresses controllers. */
        controllers: fabric.CtrlDetail.$Properties[];

        /**
         * Encodes the specified UpdateCtrlAddresses message. Does not implicitly {@link fabric.UpdateCtrlAddresses.verify|verify} messages.
         * @param message UpdateCtrlAddresses message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.UpdateCtrlAddresses.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an UpdateCtrlAddresses message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.UpdateCtrlAddresses & fabric.UpdateCtrlAddresses.$Shape} UpdateCtrlAddresses
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.UpdateCtrlAddresses & fabric.UpdateCtrlAddresses.$Shape;
    }

    namespace UpdateCtrlAddresses {

        /** Properties of an UpdateCtrlAddresses. */
        interface $Properties {

            /** UpdateCtrlAddresses addresses */
            addresses?: (string[]|null);

            /** UpdateCtrlAddresses index */
            index?: (number|null);

            /** UpdateCtrlAddresses isLeader */
            isLeader?: (boolean|null);

            /** UpdateCtrlAddresses controllers */
            controllers?: (fabric.CtrlDetail.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an UpdateCtrlAddresses. */
        type $Shape = fabric.UpdateCtrlAddresses.$Properties;
    }

    /**
     * Properties of an InspectRequest.
     * @deprecated Use fabric.InspectRequest.$Properties instead.
     */
    interface IInspectRequest extends fabric.InspectRequest.$Properties {
    }

    /** Represents an InspectRequest. */
    class InspectRequest {

        /**
         * Constructs a new InspectRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.InspectRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** InspectRequest requestedValues. */
        requestedValues: string[];

        /**
         * Encodes the specified InspectRequest message. Does not implicitly {@link fabric.InspectRequest.verify|verify} messages.
         * @param message InspectRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.InspectRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an InspectRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.InspectRequest & fabric.InspectRequest.$Shape} InspectRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.InspectRequest & fabric.InspectRequest.$Shape;
    }

    namespace InspectRequest {

        /** Properties of an InspectRequest. */
        interface $Properties {

            /** InspectRequest requestedValues */
            requestedValues?: (string[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an InspectRequest. */
        type $Shape = fabric.InspectRequest.$Properties;
    }

    /**
     * Properties of an InspectValue.
     * @deprecated Use fabric.InspectValue.$Properties instead.
     */
    interface IInspectValue extends fabric.InspectValue.$Properties {
    }

    /** Represents an InspectValue. */
    class InspectValue {

        /**
         * Constructs a new InspectValue.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.InspectValue.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** InspectValue name. */
        name: string;

        /** InspectValue value. */
        value: string;

        /**
         * Encodes the specified InspectValue message. Does not implicitly {@link fabric.InspectValue.verify|verify} messages.
         * @param message InspectValue message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.InspectValue.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an InspectValue message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.InspectValue & fabric.InspectValue.$Shape} InspectValue
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.InspectValue & fabric.InspectValue.$Shape;
    }

    namespace InspectValue {

        /** Properties of an InspectValue. */
        interface $Properties {

            /** InspectValue name */
            name?: (string|null);

            /** InspectValue value */
            value?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an InspectValue. */
        type $Shape = fabric.InspectValue.$Properties;
    }

    /**
     * Properties of an InspectResponse.
     * @deprecated Use fabric.InspectResponse.$Properties instead.
     */
    interface IInspectResponse extends fabric.InspectResponse.$Properties {
    }

    /** Represents an InspectResponse. */
    class InspectResponse {

        /**
         * Constructs a new InspectResponse.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.InspectResponse.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** InspectResponse success. */
        success: boolean;

        /** InspectResponse errors. */
        errors: string[];

        /** InspectResponse values. */
        values: fabric.InspectValue.$Properties[];

        /**
         * Encodes the specified InspectResponse message. Does not implicitly {@link fabric.InspectResponse.verify|verify} messages.
         * @param message InspectResponse message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.InspectResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an InspectResponse message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.InspectResponse & fabric.InspectResponse.$Shape} InspectResponse
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.InspectResponse & fabric.InspectResponse.$Shape;
    }

    namespace InspectResponse {

        /** Properties of an InspectResponse. */
        interface $Properties {

            /** InspectResponse success */
            success?: (boolean|null);

            /** InspectResponse errors */
            errors?: (string[]|null);

            /** InspectResponse values */
            values?: (fabric.InspectValue.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an InspectResponse. */
        type $Shape = fabric.InspectResponse.$Properties;
    }

    /**
     * Properties of an Interface.
     * @deprecated Use fabric.Interface.$Properties instead.
     */
    interface IInterface extends fabric.Interface.$Properties {
    }

    /** Represents an Interface. */
    class Interface {

        /**
         * Constructs a new Interface.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.Interface.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Interface name. */
        name: string;

        /** Interface hardwareAddress. */
        hardwareAddress: string;

        /** Interface mtu. */
        mtu: number;

        /** Interface index. */
        index: number;

        /** Interface flags. */
        flags: number;

        /** Interface addresses. */
        addresses: string[];

        /**
         * Encodes the specified Interface message. Does not implicitly {@link fabric.Interface.verify|verify} messages.
         * @param message Interface message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.Interface.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an Interface message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.Interface & fabric.Interface.$Shape} Interface
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Interface & fabric.Interface.$Shape;
    }

    namespace Interface {

        /** Properties of an Interface. */
        interface $Properties {

            /** Interface name */
            name?: (string|null);

            /** Interface hardwareAddress */
            hardwareAddress?: (string|null);

            /** Interface mtu */
            mtu?: (number|null);

            /** Interface index */
            index?: (number|null);

            /** Interface flags */
            flags?: (number|null);

            /** Interface addresses */
            addresses?: (string[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an Interface. */
        type $Shape = fabric.Interface.$Properties;
    }

    /**
     * Properties of a RouterInterfacesUpdate.
     * @deprecated Use fabric.RouterInterfacesUpdate.$Properties instead.
     */
    interface IRouterInterfacesUpdate extends fabric.RouterInterfacesUpdate.$Properties {
    }

    /** Represents a RouterInterfacesUpdate. */
    class RouterInterfacesUpdate {

        /**
         * Constructs a new RouterInterfacesUpdate.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.RouterInterfacesUpdate.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** RouterInterfacesUpdate interfaces. */
        interfaces: fabric.Interface.$Properties[];

        /**
         * Encodes the specified RouterInterfacesUpdate message. Does not implicitly {@link fabric.RouterInterfacesUpdate.verify|verify} messages.
         * @param message RouterInterfacesUpdate message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.RouterInterfacesUpdate.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a RouterInterfacesUpdate message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.RouterInterfacesUpdate & fabric.RouterInterfacesUpdate.$Shape} RouterInterfacesUpdate
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.RouterInterfacesUpdate & fabric.RouterInterfacesUpdate.$Shape;
    }

    namespace RouterInterfacesUpdate {

        /** Properties of a RouterInterfacesUpdate. */
        interface $Properties {

            /** RouterInterfacesUpdate interfaces */
            interfaces?: (fabric.Interface.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a RouterInterfacesUpdate. */
        type $Shape = fabric.RouterInterfacesUpdate.$Properties;
    }

    /**
     * Properties of an Alert.
     * @deprecated Use fabric.Alert.$Properties instead.
     */
    interface IAlert extends fabric.Alert.$Properties {
    }

    /** Represents an Alert. */
    class Alert {

        /**
         * Constructs a new Alert.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.Alert.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Alert sourceType. */
        sourceType: string;

        /** Alert sourceId. */
        sourceId: string;

        /** Alert timestamp. */
        timestamp: number;

        /** Alert severity. */
        severity: string;

        /** Alert message. */
        message: string;

        /** Alert details. */
        details: string[];

        /** Alert relatedEntities. */
        relatedEntities: { [k: string]: string };

        /**
         * Encodes the specified Alert message. Does not implicitly {@link fabric.Alert.verify|verify} messages.
         * @param message Alert message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.Alert.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an Alert message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.Alert & fabric.Alert.$Shape} Alert
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Alert & fabric.Alert.$Shape;
    }

    namespace Alert {

        /** Properties of an Alert. */
        interface $Properties {

            /** Alert sourceType */
            sourceType?: (string|null);

            /** Alert sourceId */
            sourceId?: (string|null);

            /** Alert timestamp */
            timestamp?: (number|null);

            /** Alert severity */
            severity?: (string|null);

            /** Alert message */
            message?: (string|null);

            /** Alert details */
            details?: (string[]|null);

            /** Alert relatedEntities */
            relatedEntities?: ({ [k: string]: string }|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an Alert. */
        type $Shape = fabric.Alert.$Properties;
    }

    /**
     * Properties of an Alerts.
     * @deprecated Use fabric.Alerts.$Properties instead.
     */
    interface IAlerts extends fabric.Alerts.$Properties {
    }

    /** Represents an Alerts. */
    class Alerts {

        /**
         * Constructs a new Alerts.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.Alerts.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Alerts alerts. */
        alerts: fabric.Alert.$Properties[];

        /**
         * Encodes the specified Alerts message. Does not implicitly {@link fabric.Alerts.verify|verify} messages.
         * @param message Alerts message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.Alerts.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an Alerts message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.Alerts & fabric.Alerts.$Shape} Alerts
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Alerts & fabric.Alerts.$Shape;
    }

    namespace Alerts {

        /** Properties of an Alerts. */
        interface $Properties {

            /** Alerts alerts */
            alerts?: (fabric.Alert.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an Alerts. */
        type $Shape = fabric.Alerts.$Properties;
    }

    /**
     * Properties of a CtrlChanListener.
     * @deprecated Use fabric.CtrlChanListener.$Properties instead.
     */
    interface ICtrlChanListener extends fabric.CtrlChanListener.$Properties {
    }

    /** Represents a CtrlChanListener. */
    class CtrlChanListener {

        /**
         * Constructs a new CtrlChanListener.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.CtrlChanListener.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CtrlChanListener address. */
        address: string;

        /** CtrlChanListener groups. */
        groups: string[];

        /**
         * Encodes the specified CtrlChanListener message. Does not implicitly {@link fabric.CtrlChanListener.verify|verify} messages.
         * @param message CtrlChanListener message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.CtrlChanListener.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CtrlChanListener message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.CtrlChanListener & fabric.CtrlChanListener.$Shape} CtrlChanListener
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.CtrlChanListener & fabric.CtrlChanListener.$Shape;
    }

    namespace CtrlChanListener {

        /** Properties of a CtrlChanListener. */
        interface $Properties {

            /** CtrlChanListener address */
            address?: (string|null);

            /** CtrlChanListener groups */
            groups?: (string[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CtrlChanListener. */
        type $Shape = fabric.CtrlChanListener.$Properties;
    }

    /**
     * Properties of a CtrlChanListeners.
     * @deprecated Use fabric.CtrlChanListeners.$Properties instead.
     */
    interface ICtrlChanListeners extends fabric.CtrlChanListeners.$Properties {
    }

    /** Represents a CtrlChanListeners. */
    class CtrlChanListeners {

        /**
         * Constructs a new CtrlChanListeners.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.CtrlChanListeners.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** CtrlChanListeners listeners. */
        listeners: fabric.CtrlChanListener.$Properties[];

        /**
         * Encodes the specified CtrlChanListeners message. Does not implicitly {@link fabric.CtrlChanListeners.verify|verify} messages.
         * @param message CtrlChanListeners message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.CtrlChanListeners.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a CtrlChanListeners message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.CtrlChanListeners & fabric.CtrlChanListeners.$Shape} CtrlChanListeners
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.CtrlChanListeners & fabric.CtrlChanListeners.$Shape;
    }

    namespace CtrlChanListeners {

        /** Properties of a CtrlChanListeners. */
        interface $Properties {

            /** CtrlChanListeners listeners */
            listeners?: (fabric.CtrlChanListener.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a CtrlChanListeners. */
        type $Shape = fabric.CtrlChanListeners.$Properties;
    }

    /**
     * Properties of a MetricsMessage.
     * @deprecated Use fabric.MetricsMessage.$Properties instead.
     */
    interface IMetricsMessage extends fabric.MetricsMessage.$Properties {
    }

    /** Represents a MetricsMessage. */
    class MetricsMessage {

        /**
         * Constructs a new MetricsMessage.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.MetricsMessage.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** MetricsMessage histograms. */
        histograms: { [k: string]: fabric.Histogram.$Properties };

        /**
         * Encodes the specified MetricsMessage message. Does not implicitly {@link fabric.MetricsMessage.verify|verify} messages.
         * @param message MetricsMessage message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.MetricsMessage.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a MetricsMessage message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.MetricsMessage & fabric.MetricsMessage.$Shape} MetricsMessage
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.MetricsMessage & fabric.MetricsMessage.$Shape;
    }

    namespace MetricsMessage {

        /** Properties of a MetricsMessage. */
        interface $Properties {

            /** MetricsMessage histograms */
            histograms?: ({ [k: string]: fabric.Histogram.$Properties }|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a MetricsMessage. */
        type $Shape = fabric.MetricsMessage.$Properties;
    }

    /**
     * Properties of a Histogram.
     * @deprecated Use fabric.Histogram.$Properties instead.
     */
    interface IHistogram extends fabric.Histogram.$Properties {
    }

    /** Represents a Histogram. */
    class Histogram {

        /**
         * Constructs a new Histogram.
         * @param [properties] Properties to set
         */
        constructor(properties?: fabric.Histogram.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Histogram count. */
        count: number;

        /** Histogram max. */
        max: number;

        /** Histogram mean. */
        mean: number;

        /**
         * Encodes the specified Histogram message. Does not implicitly {@link fabric.Histogram.verify|verify} messages.
         * @param message Histogram message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: fabric.Histogram.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Histogram message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {fabric.Histogram & fabric.Histogram.$Shape} Histogram
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): fabric.Histogram & fabric.Histogram.$Shape;
    }

    namespace Histogram {

        /** Properties of a Histogram. */
        interface $Properties {

            /** Histogram count */
            count?: (number|null);

            /** Histogram max */
            max?: (number|null);

            /** Histogram mean */
            mean?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Histogram. */
        type $Shape = fabric.Histogram.$Properties;
    }
}
