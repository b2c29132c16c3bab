package io.headgate.server.limits;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.http.attributes.RequestView;
import io.headgate.http.attributes.ResolvedValue;
import io.headgate.http.attributes.ResolvedValue.Absent;
import io.headgate.http.attributes.ResolvedValue.Reason;
import io.headgate.http.attributes.ValueResolver;
import io.headgate.limits.Attributes;
import io.headgate.limits.Policy;
import io.headgate.limits.bans.Bans;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Resolves the attributes of a check by a proxy.
 *
 * <ul>
 *   <li>Each dimension of the policy comes from its header field or from the query.
 *   <li>If proxies are trusted, the dimension {@code ip} is the address of the client. Its header field and query parameter are ignored,
 *       because the client may have sent them.
 *   <li>If no proxy is trusted, an address in {@code ip} counts as {@link ClientAddress#text(InetAddress)}: all addresses of an IPv6
 *       client share one limit.
 *   <li>Other attributes, which select overrides, come from the query only. Some proxies forward the header fields of their clients, and
 *       a client could then choose a higher limit.
 *   <li>Attributes that only bans and exemptions need come from the query, too. But if proxies are trusted, {@code ip} is the address of
 *       the client.
 * </ul>
 *
 * <p>Safe for use by any number of threads.
 */
final class ProxyAttributes {

    /** The most attributes of a request. */
    private static final int MAX_ATTRIBUTES = 32;

    private static final Pattern WORD_START = Pattern.compile("(?<=^|-)[a-z]");

    private final Optional<ClientAddress> clientAddress;
    private final Bans bans;

    /** The source of each dimension that a policy has had; their number is bounded by the policies. */
    private final Map<String, Source> sources = new ConcurrentHashMap<>();

    /**
     * Creates the resolver.
     *
     * @param clientAddress finds the client behind trusted proxies; empty if none is trusted
     * @param bans the bans of the engine, which may need the address of the client even if no rule does
     */
    ProxyAttributes(Optional<ClientAddress> clientAddress, Bans bans) {
        this.clientAddress = clientAddress;
        this.bans = bans;
    }

    /**
     * Resolves all dimensions of the policy, and those attributes of its overrides and of bans that the request contains.
     *
     * @param reserved the parameters of the query that are not attributes
     * @throws ProblemException with status 400 if a dimension is missing, an attribute is given several times or is invalid, or the field
     *     and the query differ
     */
    Map<String, String> of(Policy policy, RequestView request, Set<String> reserved) {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (String dimension : policy.dimensions()) {
            String value = sources.computeIfAbsent(dimension, this::source)
                    .find(request)
                    .orElseThrow(() -> ProblemException.badRequest(missing(policy, dimension)));
            attributes.put(dimension, value);
        }
        for (String name : policy.overrideAttributes()) {
            if (!attributes.containsKey(name)) {
                find(ValueResolver.query(name), request).ifPresent(value -> attributes.put(name, value));
            }
        }
        for (String name : bans.attributes()) {
            boolean isKnown =
                    attributes.containsKey(name) || policy.overrideAttributes().contains(name);
            if (!isKnown && !reserved.contains(name) && attributes.size() < MAX_ATTRIBUTES) {
                ofBans(name, request).ifPresent(value -> attributes.put(name, value));
            }
        }
        return attributes;
    }

    private Optional<String> ofBans(String name, RequestView request) {
        if (!name.equals(Attributes.IP)) {
            return find(ValueResolver.query(name), request);
        }
        return clientAddress.isPresent()
                ? clientAddress.get().text(request)
                : find(ValueResolver.query(name), request).map(ProxyAttributes::client);
    }

    private Source source(String dimension) {
        boolean isAddress = dimension.equals(Attributes.IP);
        if (isAddress && clientAddress.isPresent()) {
            ValueResolver address = ValueResolver.clientAddress(clientAddress.get());
            return request -> address.resolve(request).toOptional();
        }
        String field = fieldOf(dimension);
        FieldOrQuery given =
                new FieldOrQuery(field, dimension, ValueResolver.header(field), ValueResolver.query(dimension));
        return isAddress ? request -> given.find(request).map(ProxyAttributes::client) : given;
    }

    /** The form in which an address is counted; any other text unchanged. */
    private static String client(String value) {
        return ClientAddress.parse(value).map(ClientAddress.ofPeer()::text).orElse(value);
    }

    private static String missing(Policy policy, String dimension) {
        return "policy " + policy.name() + " counts by " + dimension
                + ", which the request does not contain; send the field "
                + fieldOf(dimension) + ", or " + dimension
                + "= in the query";
    }

    /** The header field of a dimension, with each word capitalized, for example {@code Headgate-User-Agent}. */
    private static String fieldOf(String dimension) {
        return ProxyRequest.FIELD_PREFIX
                + WORD_START.matcher(dimension).replaceAll(start -> start.group()
                        .toUpperCase(Locale.ROOT));
    }

    /**
     * Returns the value that a resolver finds; empty if the request does not contain it.
     *
     * @throws ProblemException with status 400 if the request contains it several times, or it is not valid
     */
    static Optional<String> find(ValueResolver resolver, RequestView request) {
        ResolvedValue value = resolver.resolve(request);
        if (value instanceof Absent absent && absent.reason() != Reason.MISSING) {
            throw ProblemException.badRequest(absent.detail());
        }
        return value.toOptional();
    }

    /** The source of the value of a dimension. */
    private interface Source {

        Optional<String> find(RequestView request);
    }

    /** The header field or the query parameter of a dimension. */
    private record FieldOrQuery(String field, String parameter, ValueResolver header, ValueResolver query)
            implements Source {

        @Override
        public Optional<String> find(RequestView request) {
            Optional<String> fromField = ProxyAttributes.find(header, request);
            Optional<String> fromQuery = ProxyAttributes.find(query, request);
            if (fromField.isPresent() && fromQuery.isPresent() && !fromField.equals(fromQuery)) {
                throw ProblemException.badRequest(field + " is " + Quoted.of(fromField.get()) + " but " + parameter
                        + " in the query is " + Quoted.of(fromQuery.get()) + "; give one of them");
            }
            return fromField.or(() -> fromQuery);
        }
    }
}
