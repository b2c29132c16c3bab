package io.headgate.server.http;

import com.linecorp.armeria.common.util.DomainSocketAddress;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.net.InetAddress;
import java.util.Optional;

/** The address from which a connection comes. */
final class PeerAddress {

    /** The text for clients of a Unix socket, which have no address. */
    static final String UNIX = "unix";

    private PeerAddress() {}

    /** Returns the address; empty for a client of a Unix socket. */
    static Optional<InetAddress> of(ServiceRequestContext ctx) {
        return ctx.remoteAddress() instanceof DomainSocketAddress
                ? Optional.empty()
                : Optional.ofNullable(ctx.remoteAddress().getAddress());
    }

    /** Returns the address as text, or {@value #UNIX}. */
    static String text(ServiceRequestContext ctx) {
        return of(ctx).map(InetAddress::getHostAddress).orElse(UNIX);
    }
}
