package io.headgate.server.limits;

import com.linecorp.armeria.common.Http1HeaderNaming;
import io.headgate.http.RateLimitFields;
import io.netty.util.AsciiString;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The spelling of HTTP/1 header fields, as in their specifications. The case has no meaning to programs. */
public final class FieldNames {

    private static final Map<String, String> KNOWN = Stream.of(
                    RateLimitFields.LIMIT,
                    RateLimitFields.REMAINING,
                    RateLimitFields.RESET,
                    RateLimitFields.POLICY,
                    RateLimitFields.CURRENT,
                    ProxyCheck.DELAY)
            .collect(Collectors.toMap(name -> AsciiString.of(name).toLowerCase().toString(), Function.identity()));

    private FieldNames() {}

    public static String of(AsciiString name) {
        String known = KNOWN.get(name.toString());
        return known == null ? Http1HeaderNaming.traditional().convert(name) : known;
    }
}
