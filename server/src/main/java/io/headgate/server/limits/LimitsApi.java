package io.headgate.server.limits;

import com.linecorp.armeria.server.ServerBuilder;
import io.headgate.config.PolicyRegistry;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.limits.LimitEngine;
import io.headgate.server.audit.ServerAudit;
import io.headgate.server.http.BearerToken;
import io.headgate.server.http.SameSiteOnly;
import io.headgate.server.http.WaitingRequests;
import java.util.Optional;

/** The paths of limits: checks in JSON, checks by proxies, refunds. */
public final class LimitsApi {

    private final Limiters limiters;
    private final ServerAudit audit;
    private final Optional<ClientAddress> clientAddress;
    private final Optional<BearerToken> refundToken;
    private final WaitingRequests waiting;
    private final ProxyAttributes attributes;

    /**
     * Creates the services for these policies.
     *
     * @param engine the engine of the policies
     * @param refundToken authorizes refunds; without it, refunds are disabled
     * @param waiting bounds the checks whose response may be delayed
     * @param clientAddress finds the client behind trusted proxies; empty if none is trusted
     * @param audit the audit log, which records refunds
     */
    public LimitsApi(
            PolicyRegistry policies,
            LimitEngine engine,
            Optional<BearerToken> refundToken,
            WaitingRequests waiting,
            Optional<ClientAddress> clientAddress,
            ServerAudit audit) {
        this.audit = audit;
        this.clientAddress = clientAddress;
        this.limiters = new Limiters(policies, engine);
        this.refundToken = refundToken;
        this.waiting = waiting;
        this.attributes = new ProxyAttributes(clientAddress, engine.bans());
    }

    public void addTo(ServerBuilder server) {
        SameSiteOnly sameSite = new SameSiteOnly();
        server.service("/v1/check", new CheckApi(limiters, refundToken.isPresent()).decorate(sameSite));
        server.service("/v1/refund", new RefundApi(limiters, refundToken, clientAddress, audit).decorate(sameSite));
        server.service(
                "/check/{" + ProxyCheck.POLICY + "}", new ProxyCheck(limiters, waiting, attributes).decorate(sameSite));
    }
}
