package io.headgate.server.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import io.headgate.http.Problem;
import io.headgate.server.text.Json;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Creates HTTP responses: never cached, and with a content type that browsers do not guess. */
public final class Responses {

    private static final MediaType PROBLEM = MediaType.parse(Problem.MEDIA_TYPE);

    private Responses() {}

    public static HttpResponse json(Object value) {
        return of(headers(200).contentType(MediaType.JSON), Json.line(value));
    }

    public static HttpResponse text(String line) {
        byte[] body = (line + "\n").getBytes(StandardCharsets.UTF_8);
        return of(headers(200).contentType(MediaType.PLAIN_TEXT_UTF_8), body);
    }

    public static HttpResponse empty(Map<String, String> fields) {
        ResponseHeadersBuilder headers = headers(200);
        fields.forEach(headers::set);
        return of(headers, new byte[0]);
    }

    public static HttpResponse problem(Problem problem) {
        return problem(problem, Map.of());
    }

    public static HttpResponse problem(Problem problem, Map<String, String> fields) {
        ResponseHeadersBuilder headers = headers(problem.status()).contentType(PROBLEM);
        fields.forEach(headers::set);
        return of(headers, Json.line(problem.members()));
    }

    /** A problem with the allowed methods. */
    public static HttpResponse methodNotAllowed(HttpMethod given, String allowed) {
        Problem problem = Problem.of(405, "method " + given + " is not allowed; allowed: " + allowed);
        return problem(problem, Map.of(HttpHeaderNames.ALLOW.toString(), allowed));
    }

    public static ResponseHeadersBuilder headers(int status) {
        return ResponseHeaders.builder(HttpStatus.valueOf(status))
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set(HttpHeaderNames.X_CONTENT_TYPE_OPTIONS, "nosniff");
    }

    public static HttpResponse of(ResponseHeadersBuilder headers, byte[] body) {
        return HttpResponse.of(headers.contentLength(body.length).build(), HttpData.wrap(body));
    }
}
