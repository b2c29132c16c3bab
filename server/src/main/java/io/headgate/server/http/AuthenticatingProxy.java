package io.headgate.server.http;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.limits.bans.IpBlock;
import io.headgate.server.text.Quoted;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A proxy that authenticates operators, and sends the name of each in a header field. Connections from other addresses cannot use the field.
 *
 * @param addresses the address or network from which the proxy connects
 * @param userHeader the name of the field
 */
public record AuthenticatingProxy(IpBlock addresses, String userHeader) {

    private static final Pattern FIELD = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    /** Fields that clients send for another purpose. */
    private static final Pattern RESERVED = Pattern.compile(
            "authorization|cookie|host|origin|referer|forwarded|x-forwarded-(for|host|proto|port|prefix|server|by|uri|method)"
                    + "|x-real-ip|user-agent|connection|via|content-.*|sec-.*",
            Pattern.CASE_INSENSITIVE);

    /**
     * Creates the rule.
     *
     * @throws IllegalArgumentException if the name is not that of a field that only the proxy sets, or the addresses are all there are
     */
    public AuthenticatingProxy {
        if (addresses.prefixLength() == 0) {
            throw new IllegalArgumentException(
                    "would trust every client, with the addresses " + addresses + "; give the address of the proxy");
        }
        if (!FIELD.matcher(userHeader).matches() || RESERVED.matcher(userHeader).matches()) {
            throw new IllegalArgumentException("must be the name of a header field that only the proxy sets, such as"
                    + " X-Operator, was " + Quoted.of(userHeader));
        }
    }

    /**
     * Returns the user whom the proxy names; empty if the request does not come from it, or without the field.
     *
     * @throws ProblemException with status 400 if the proxy sent the field more than once
     */
    Optional<String> user(ServiceRequestContext ctx) {
        if (PeerAddress.of(ctx).map(IpBlock::of).filter(addresses::contains).isEmpty()) {
            return Optional.empty();
        }
        List<String> values = ctx.request().headers().getAll(userHeader);
        if (values.size() > 1) {
            throw ProblemException.badRequest("the proxy sent the field " + userHeader
                    + " more than once; it must remove the field from requests of its clients");
        }
        return values.stream().findFirst();
    }
}
