package io.headgate.http.attributes;

import io.headgate.http.attributes.ResolvedValue.Absent;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Finds one value in a request, for example the tenant in a header field. Resolvers are immutable, safe for use by any number of
 * threads, and can be combined:
 *
 * <pre>{@code
 * ValueResolver endpoint = ValueResolver.attribute("route").or(ValueResolver.pathPattern("/orders/{id}", "/**"));
 * }</pre>
 *
 * <p>The resolvers of this interface never throw an exception, whatever a client sends, and never return a value of more than {@value
 * ResolvedValue#MAX_LENGTH} characters. A value that the request contains several times is absent, because a client or a proxy may
 * have added one of them. Your own resolver should follow the same rules: return {@link ResolvedValue#of}, or an absent value if the
 * request is ambiguous.
 */
@FunctionalInterface
public interface ValueResolver {

    /** Finds the value. */
    ResolvedValue resolve(RequestView request);

    /**
     * Returns a resolver that uses {@code other} for requests in which this one finds no value. Equal values of the two resolvers share
     * a count. So make sure that a client which can choose the value of one resolver cannot use up the count of another client.
     */
    default ValueResolver or(ValueResolver other) {
        return firstOf(this, other);
    }

    /**
     * Returns a resolver that finds the same value in every request.
     *
     * @throws IllegalArgumentException if the value is empty or has more than {@value ResolvedValue#MAX_LENGTH} characters
     */
    static ValueResolver fixed(String value) {
        ResolvedValue fixed = new ResolvedValue.Present(value);
        return request -> fixed;
    }

    /** Returns a resolver that finds no value in any request. */
    static ValueResolver absent() {
        ResolvedValue absent = new Absent(ResolvedValue.Reason.MISSING, "no value is configured");
        return request -> absent;
    }

    /**
     * Returns a resolver of the value of a header field, which the request must contain once. Bytes that are valid UTF-8 are decoded as
     * UTF-8, others as ISO-8859-1.
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

    /**
     * Returns a resolver of the decoded value of a query parameter, which the query must contain once. The value is UTF-8; a plus sign
     * is a space, and a semicolon is part of the value.
     */
    static ValueResolver query(String name) {
        String source = "query parameter " + Objects.requireNonNull(name, "name");
        ResolvedValue missing = ResolvedValue.missing(source);
        return request -> request.query()
                .map(query -> QueryString.find(query, name, source))
                .orElse(missing);
    }

    /**
     * Returns a resolver of the value of a cookie, which the request must contain once. The value is without its quotes, and decoded as
     * that of a {@link #header}.
     */
    static ValueResolver cookie(String name) {
        String source = "cookie " + Objects.requireNonNull(name, "name");
        return request -> HeaderText.cookie(request.headers("Cookie"), name, source);
    }

    /** Returns a resolver of the HTTP method, for example {@code GET}. */
    static ValueResolver method() {
        return request -> ResolvedValue.of("method", request.method());
    }

    /**
     * Returns a resolver of the path without the query, in normal form (RFC 3986), so that all spellings of a path have one count:
     * {@code /a/%7euser/../b} becomes {@code /a/b}. Repeated slashes are joined. If paths contain ids, each id has a count of its own;
     * prefer {@link #pathPattern} for these.
     */
    static ValueResolver path() {
        return request -> ResolvedValue.of("path", UriText.normalPath(request.path()));
    }

    /**
     * Returns a resolver of the first of these patterns that matches the path, for example {@code /orders/{id}} for {@code /orders/17}.
     * Absent if none matches.
     *
     * @param patterns the patterns; {@code *} and <code>{name}</code> match one segment, and a final {@code /**} matches any number of
     *     segments
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
     * Returns a resolver of the decoded path segment that a variable of a pattern matches: {@code pathVariable("/orders/{id}", "id")}
     * finds {@code 17} in {@code /orders/17}. Absent if the pattern does not match.
     *
     * @param pattern a pattern as for {@link #pathPattern}
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
     * Returns a resolver of the client's address as text: an IPv4 address, or an IPv6 network such as {@code 2001:db8:1:2::/64}.
     *
     * @param address finds the address, and determines which proxies are trusted
     */
    static ValueResolver clientAddress(ClientAddress address) {
        ResolvedValue missing = ResolvedValue.missing("client address");
        return request -> address.text(request)
                .<ResolvedValue>map(ResolvedValue.Present::new)
                .orElse(missing);
    }

    /** Returns a resolver of a value that the server has attached to the request; see {@link RequestView#attribute}. */
    static ValueResolver attribute(String name) {
        String source = "request attribute " + Objects.requireNonNull(name, "name");
        ResolvedValue missing = ResolvedValue.missing(source);
        return request -> request.attribute(name)
                .map(value -> ResolvedValue.of(source, value))
                .orElse(missing);
    }

    /**
     * Returns a resolver that uses the first of these resolvers that finds a value. If none does, the result is that of the last one.
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
