package io.headgate.spring.web.servlet;

import io.headgate.http.Problem;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes the responses of denied requests. This one needs no framework; a subclass uses Spring MVC. */
class DenialWriter {

    private final CorsFields cors;

    DenialWriter(CorsFields cors) {
        this.cors = cors;
    }

    /** Writes the response. */
    final void write(Denied denied, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        cors.write(request, response, denied.fields().keySet());
        if (!writeByApplication(denied, request, response) && !response.isCommitted()) {
            writeProblem(denied, response);
        }
    }

    /** Lets pages of other origins read these fields of a response, if the application allows the origin. */
    final void expose(Collection<String> fields, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        cors.write(request, response, fields);
    }

    /** Lets the application write the response; returns false if it does not. */
    boolean writeByApplication(Denied denied, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        return false;
    }

    private static void writeProblem(Denied denied, HttpServletResponse response) throws IOException {
        response.resetBuffer();
        response.setStatus(denied.status());
        denied.fields().forEach(response::setHeader);
        response.setContentType(Problem.MEDIA_TYPE);
        response.getOutputStream().write(json(denied.problem().members()).getBytes(StandardCharsets.UTF_8));
    }

    private static String json(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> json(String.valueOf(entry.getKey())) + ":" + json(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(DenialWriter::json).collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof Number ? value.toString() : quoted(value.toString());
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", c));
            } else {
                quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }
}
