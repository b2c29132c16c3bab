package io.headgate.server;

import java.util.Map;

/** Ends a request with a problem as its answer; for what the caller did wrong, so without a stack trace. */
final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Problem problem;
    private final transient Map<String, String> fields;

    ProblemException(Problem problem) {
        this(problem, Map.of());
    }

    /** With fields of the answer beside the problem. */
    ProblemException(Problem problem, Map<String, String> fields) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
        this.fields = fields;
    }

    static ProblemException badRequest(String detail) {
        return new ProblemException(Problem.of(400, "Bad Request", detail));
    }

    static ProblemException notFound(String detail) {
        return new ProblemException(Problem.of(404, "Not Found", detail));
    }

    static ProblemException unsupportedMediaType(String detail) {
        return new ProblemException(Problem.of(415, "Unsupported Media Type", detail));
    }

    static ProblemException conflict(String detail) {
        return new ProblemException(Problem.of(409, "Conflict", detail));
    }

    Problem problem() {
        return problem;
    }

    Map<String, String> fields() {
        return fields;
    }
}
