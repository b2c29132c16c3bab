package io.headgate.server.serve;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.DomainSocketAddress;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.Problem;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Accepts only requests whose {@code Host} is a name of this server. This protects it from DNS rebinding: a page of another site whose
 * host name resolves to this server sends that host name.
 *
 * <p>Always allowed are {@code localhost}, loopback addresses and the bind address, alone or with the port of the listener. At a
 * wildcard address, every IP address is allowed, because DNS rebinding needs a host name.
 */
final class AllowedHosts implements DecoratingHttpServiceFunction {

    /** The valid form of a name, for errors. */
    static final String EXPECTED =
            "a host name or an IP address (IPv6 in brackets), alone or with a port, such as headgate.internal:8080";

    /** The longest host name, brackets or a final dot, and a port. */
    private static final int MAX_CHARACTERS = 253 + 2 + 6;

    private static final Pattern FORM =
            Pattern.compile("(?<name>[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*|\\[[0-9a-f:.]+])\\.?(?::(?<port>[0-9]{1,5}))?");

    private final InetSocketAddress listen;
    private final Set<String> allowed;

    /**
     * Allows the names of a listener, and more.
     *
     * @param more names, each alone for every port, or with its port
     * @throws IllegalArgumentException if one is not {@link #EXPECTED}
     */
    AllowedHosts(InetSocketAddress listen, List<String> more) {
        this.listen = listen instanceof DomainSocketAddress
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)
                : listen;
        this.allowed = more.stream().map(AllowedHosts::canonical).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Checks a name.
     *
     * @throws IllegalArgumentException if it is not {@link #EXPECTED}
     */
    static void requireValid(String name) {
        canonical(name);
    }

    private static String canonical(String name) {
        Matcher given = FORM.matcher(name.toLowerCase(Locale.ROOT));
        if (name.length() > MAX_CHARACTERS || !given.matches()) {
            throw new IllegalArgumentException("an allowed host must be " + EXPECTED + ", was " + Quoted.of(name));
        }
        @Nullable String port = given.group("port");
        return given.group("name") + (port == null ? "" : ":" + port);
    }

    @Override
    public HttpResponse serve(HttpService delegate, ServiceRequestContext ctx, HttpRequest request) throws Exception {
        @Nullable String host = request.headers().authority();
        if (host == null || !allows(host, ctx.localAddress().getPort())) {
            String shown = Quoted.of(host == null ? "" : host);
            throw new ProblemException(Problem.of(
                    421,
                    "host " + shown + " is not a name of this server; to allow it, start the server with --allow-host"
                            + " NAME, or have the proxy set an allowed Host such as localhost"));
        }
        return delegate.serve(ctx, request);
    }

    /** Returns whether a listener at this port accepts a request with this {@code Host}. */
    boolean allows(String host, int listenPort) {
        Matcher given = FORM.matcher(host.toLowerCase(Locale.ROOT));
        if (host.length() > MAX_CHARACTERS || !given.matches()) {
            return false;
        }
        String name = given.group("name");
        @Nullable String port = given.group("port");
        if (allowed.contains(name) || allowed.contains(name + ":" + port)) {
            return true;
        }
        return (port == null || Integer.parseInt(port) == listenPort) && isOwn(name);
    }

    private boolean isOwn(String name) {
        if (name.equals("localhost") || name.equalsIgnoreCase(listen.getHostString())) {
            return true;
        }
        @Nullable InetAddress address = NetUtil.createInetAddressFromIpAddressString(name);
        return address != null
                && (address.isLoopbackAddress()
                        || address.equals(listen.getAddress())
                        || listen.getAddress().isAnyLocalAddress());
    }
}
