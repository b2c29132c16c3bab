package io.headgate.http.attributes;

import io.headgate.http.attributes.ResolvedValue.Absent;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Finds one value in a request, for example the tenant in a header field. Resolvers are immutable values that any number of threads may
 * use, and compose:
 *
 * <pre>{@code
 * ValueResolver endpoint = ValueResolver.attribute("route").or(ValueResolver.pathPattern("/orders/{id}", "/**"));
 * }</pre>
 *
 * <p>The resolvers of this interface never throw, whatever a client sends, and never return a value of more than {@value
 * ResolvedValue#MAX_LENGTH} characters. A value that the request contains several times is absent, because a client or a proxy may have
 * added one of them. Your own resolver should follow the same rules: return {@link ResolvedValue#of}, and absent where it cannot decide.
 */
@FunctionalInterface
public interface ValueResolver {

    /** Finds the value. */
    ResolvedValue resolve(RequestView request);

    /**
     * Returns a resolver that uses {@code other} for requests in which this one finds no value. Equal values of both count together, so
     * a client that can choose one value must not be able to choose that of another client.
     */
    default ValueResolver or(ValueResolver other) {
        return firstOf(this, other);
    }

    /**
     * Resolves every request to the same value.
     *
     * @throws IllegalArgumentException if the value is empty or has more than {@value ResolvedValue#MAX_LENGTH} characters
     */
    static ValueResolver fixed(String value) {
        ResolvedValue fixed = new ResolvedValue.Present(value);
        return request -> fixed;
    }

    /** Resolves no request. */
    static ValueResolver absent() {
        ResolvedValue absent = new Absent(ResolvedValue.Reason.MISSING, "no value is configured");
        return request -> absent;
    }

    /**
     * The value of a header field that the request contains once. Bytes that are UTF-8 are read as UTF-8, others as ISO-8859-1.
     *
     * @param name the name of the field, in any case
     */
    static ValueResolver header(String name) {
        String source = "header field " + Objects.requireNonNull(name, "name");
        ResolvedValue missing = ResolvedValue.missing(source);
        return request -> {
            List<String> values = request.headers(name);
            return switch (values.size()) {
                case 0 -> missing;
                case 1 -> ResolvedValue.of(source, HeaderText.utf8(values.get(0)));
                default -> ResolvedValue.repeated(source, values.size());
            };
        };
    }

    /** The value of a parameter that the query contains once, decoded: UTF-8, a plus sign is a space, a semicolon is part of the value. */
    static ValueResolver query(String name) {
        String source = "query parameter " + Objects.requireNonNull(name, "name");
        ResolvedValue missing = ResolvedValue.missing(source);
        return request -> request.query()
                .map(query -> QueryString.find(query, name, source))
                .orElse(missing);
    }

    /** The value of a cookie that the request contains once. */
    static ValueResolver cookie(String name) {
        String source = "cookie " + Objects.requireNonNull(name, "name");
        return request -> HeaderText.cookie(request.headers("Cookie"), name, source);
    }

    /** The method, for example {@code GET}. */
    static ValueResolver method() {
        return request -> ResolvedValue.of("method", request.method());
    }

    /**
     * The path without the query, in normal form (RFC 3986), so that spellings of one path count together: {@code /a/%7euser/../b} is
     * {@code /a/b}. Repeated slashes are one. A path with ids has a counter for each id; prefer {@link #pathPattern}.
     */
    static ValueResolver path() {
        return request -> ResolvedValue.of("path", UriText.normalPath(request.path()));
    }

    /**
     * The first of these patterns that matches the path, for example {@code /orders/{id}} for {@code /orders/17}. Absent if none matches.
     *
     * @param patterns in which {@code *} and <code>{name}</code> match one segment, and a final {@code /**} any number of them
     * @throws IllegalArgumentException if there is no pattern, or one is malformed
     */
    static ValueResolver pathPattern(String... patterns) {
        if (patterns.length == 0) {
            throw new IllegalArgumentException("patterns must have at least one element, but has none");
        }
        List<PathPattern> compiled =
                Arrays.stream(patterns).map(PathPattern::parse).toList();
        ResolvedValue missing = ResolvedValue.missing("path of " + String.join(", ", patterns));
        return request -> {
            String path = UriText.normalPath(request.path());
            for (PathPattern pattern : compiled) {
                if (pattern.matches(path)) {
                    return ResolvedValue.of("path", pattern.text());
                }
            }
            return missing;
        };
    }

    /**
     * The segment of the path at a variable of the pattern, decoded: {@code pathVariable("/orders/{id}", "id")} is {@code 17} for {@code
     * /orders/17}. Absent if the pattern does not match.
     *
     * @param pattern as for {@link #pathPattern}
     * @throws IllegalArgumentException if the pattern is malformed or does not have the variable
     */
    static ValueResolver pathVariable(String pattern, String variable) {
        PathPattern compiled = PathPattern.parse(pattern).requireVariable(variable);
        String source = "variable " + variable + " of path " + pattern;
        ResolvedValue missing = ResolvedValue.missing(source);
        return request -> compiled.variable(UriText.normalPath(request.path()), variable)
                .map(segment -> UriText.decoded(segment, false)
                        .map(value -> ResolvedValue.of(source, value))
                        .orElseGet(() -> ResolvedValue.malformed(source, "UTF-8")))
                .orElse(missing);
    }

    /**
     * The client's address as text: an IPv4 address, or an IPv6 network such as {@code 2001:db8:1:2::/64}.
     *
     * @param address which proxies to trust
     */
    static ValueResolver clientAddress(ClientAddress address) {
        ResolvedValue missing = ResolvedValue.missing("client address");
        return request -> address.text(request)
                .<ResolvedValue>map(ResolvedValue.Present::new)
                .orElse(missing);
    }

    /** A value that the server has attached to the request, see {@link RequestView#attribute}. */
    static ValueResolver attribute(String name) {
        String source = "request attribute " + Objects.requireNonNull(name, "name");
        ResolvedValue missing = ResolvedValue.missing(source);
        return request -> request.attribute(name)
                .map(value -> ResolvedValue.of(source, value))
                .orElse(missing);
    }

    /**
     * The value of the first resolver that finds one. If none does, the result is that of the last resolver.
     *
     * @throws IllegalArgumentException if there is no resolver
     */
    static ValueResolver firstOf(ValueResolver... resolvers) {
        if (resolvers.length == 0) {
            throw new IllegalArgumentException("resolvers must have at least one element, but has none");
        }
        List<ValueResolver> all = List.of(resolvers);
        return request -> {
            ResolvedValue result = all.get(0).resolve(request);
            for (int i = 1; i < all.size() && result instanceof Absent; i++) {
                result = all.get(i).resolve(request);
            }
            return result;
        };
    }
}
