package io.headgate.server;

/** Ends a request with a problem as its answer; for what the caller did wrong, so without a stack trace. */
final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Problem problem;

    ProblemException(Problem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
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

    Problem problem() {
        return problem;
    }
}
