package io.headgate.server.http;

import io.headgate.http.Problem;
import java.util.Map;

/** Ends a request with a problem as its response. It has no stack trace, because the client made the mistake. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Problem problem;
    private final transient Map<String, String> fields;

    public ProblemException(Problem problem) {
        this(problem, Map.of());
    }

    /** A problem with further header fields. */
    public ProblemException(Problem problem, Map<String, String> fields) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
        this.fields = fields;
    }

    public static ProblemException badRequest(String detail) {
        return new ProblemException(Problem.of(400, detail));
    }

    public static ProblemException notFound(String detail) {
        return new ProblemException(Problem.of(404, detail));
    }

    static ProblemException unsupportedMediaType(String detail) {
        return new ProblemException(Problem.of(415, detail));
    }

    public static ProblemException unavailable(String detail) {
        return new ProblemException(Problem.of(503, detail));
    }

    public static ProblemException conflict(String detail) {
        return new ProblemException(Problem.of(409, detail));
    }

    public Problem problem() {
        return problem;
    }

    public Map<String, String> fields() {
        return fields;
    }
}
