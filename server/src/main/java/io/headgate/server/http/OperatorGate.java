package io.headgate.server.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.Problem;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.server.audit.ServerAudit;
import io.headgate.server.operators.Operator;
import io.headgate.server.operators.OperatorsFile;
import io.headgate.server.operators.Role;
import io.headgate.server.text.Quoted;
import java.util.Map;
import java.util.Optional;

/**
 * Admits operators whose role allows a call. An authenticating proxy, a token or a client certificate identifies them, in this order.
 * Refuses requests from pages of other sites. Begins the entry of each call in the audit log. Thread-safe.
 */
public final class OperatorGate {

    private static final Problem OFF = Problem.of(
            403,
            "operator calls are off: the server was started without --operators FILE, --operator-token TOKEN,"
                    + " --operator-token-file FILE and the variable HEADGATE_OPERATOR_TOKEN");
    private static final Problem UNKNOWN =
            Problem.of(401, "an operator call needs the header field Authorization: Bearer TOKEN with the right token");
    private static final Problem CROSS_SITE = Problem.of(403, "operator calls from pages of other sites are refused");

    private static final Map<String, String> CHALLENGE = Map.of(HttpHeaderNames.WWW_AUTHENTICATE.toString(), "Bearer");

    /** Clients with IPv6 addresses usually have all addresses of such a network. */
    private static final int IPV6_PREFIX = 64;

    private static final Operator OF_TOKEN = new Operator(Optional.empty(), Role.ADMIN);

    private final Optional<BearerToken> token;
    private final Optional<OperatorsFile> file;
    private final Optional<AuthenticatingProxy> authenticator;
    private final ClientAddress clients;
    private final FailedAttempts failed = new FailedAttempts();
    private final CallAudit calls;

    /**
     * Creates a gate.
     *
     * @param token a single token with the role admin
     * @param file the operators with names
     * @param authenticator a proxy that names operators of the file
     * @param proxies finds the client behind trusted proxies; empty if none is trusted
     * @param audit the audit log
     */
    public OperatorGate(
            Optional<BearerToken> token,
            Optional<OperatorsFile> file,
            Optional<AuthenticatingProxy> authenticator,
            Optional<ClientAddress> proxies,
            ServerAudit audit) {
        this.calls = new CallAudit(audit, proxies);
        this.token = token;
        this.file = file;
        this.authenticator = authenticator;
        this.clients = proxies.orElseGet(ClientAddress::ofPeer).withIpv6Prefix(IPV6_PREFIX);
    }

    /**
     * Checks the client, and begins the entry of its call in the audit log. Records the refusal if it is refused.
     *
     * @param needed the role that allows the call
     * @throws ProblemException with status 401, 403 or 429 if the client may not make the call
     */
    public CallAudit.Entry admit(ServiceRequestContext ctx, Role needed, CallAudit.Call call) {
        CallAudit.Entry entry = calls.entry(ctx, call);
        try {
            entry = calls.entry(ctx, operator(ctx, ctx.request().headers()), call);
            Operator operator = entry.operator();
            if (!operator.role().includes(needed)) {
                throw new ProblemException(
                        Problem.of(403, "this call needs the role " + needed + "; yours is " + operator.role()));
            }
            return entry;
        } catch (ProblemException e) {
            entry.refused(e);
            throw e;
        }
    }

    private Operator operator(ServiceRequestContext ctx, RequestHeaders headers) {
        if (CrossSiteRequests.isCrossSite(headers)) {
            throw new ProblemException(CROSS_SITE);
        }
        if (token.isEmpty() && file.isEmpty()) {
            throw new ProblemException(OFF);
        }
        Optional<String> user = authenticator.flatMap(proxy -> proxy.user(ctx));
        if (user.isPresent()) {
            return named(user.get(), "the user that the proxy names");
        }
        if (headers.getAll(HttpHeaderNames.AUTHORIZATION).size() > 1) {
            throw ProblemException.badRequest("the field Authorization must be sent once");
        }
        String given =
                BearerToken.of(headers.get(HttpHeaderNames.AUTHORIZATION, "")).orElse("");
        if (given.isEmpty()) {
            return withCertificate(ctx);
        }
        // A client of a Unix socket has no address. It is this user, who could read the memory of this process.
        Optional<String> client =
                PeerAddress.of(ctx).flatMap(any -> clients.text(new ArmeriaRequest(ctx, ctx.request())));
        client.ifPresent(failed::requireAllowed);
        return withToken(given).orElseThrow(() -> {
            client.ifPresent(failed::add);
            return unknown();
        });
    }

    private Optional<Operator> withToken(String given) {
        return token.filter(single -> single.is(given))
                .map(single -> OF_TOKEN)
                .or(() -> file.flatMap(operators -> operators.current().withToken(given)));
    }

    /** The operator whom the common name of a client certificate names, if the listener requires such a certificate. */
    private Operator withCertificate(ServiceRequestContext ctx) {
        return named(
                ClientCertificate.commonName(ctx).orElseThrow(OperatorGate::unknown),
                "the common name of your client certificate");
    }

    private Operator named(String name, String what) {
        return file.flatMap(operators -> operators.current().named(name))
                .orElseThrow(() -> new ProblemException(
                        Problem.of(401, what + ", " + Quoted.of(name) + ", is not the name of an operator"),
                        CHALLENGE));
    }

    private static ProblemException unknown() {
        return new ProblemException(UNKNOWN, CHALLENGE);
    }
}
