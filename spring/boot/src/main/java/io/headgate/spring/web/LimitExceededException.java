package io.headgate.spring.web;

import io.headgate.http.Problem;
import io.headgate.limits.Decision;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * A request was denied by a limit. Its response has the status, the header fields and the body of this exception, unless the application
 * handles it in an {@code @ExceptionHandler} method of a {@code @ControllerAdvice}. It has no stack trace: in a flood of requests, creating one
 * would cost more than the decision.
 */
public class LimitExceededException extends ErrorResponseException {

    private static final long serialVersionUID = 1;

    private final transient List<Decision> decisions;

    /**
     * Creates an exception.
     *
     * @param decisions the decisions of all policies, the decisive one first; at least one
     */
    public LimitExceededException(Problem problem, Map<String, String> fields, List<Decision> decisions) {
        super(HttpStatusCode.valueOf(problem.status()), problemDetail(problem), null);
        this.decisions = List.copyOf(decisions);
        if (decisions.isEmpty()) {
            throw new IllegalArgumentException("there must be at least one decision");
        }
        fields.forEach(getHeaders()::set);
    }

    /** Returns the decision; if several policies decided, the decisive denial. */
    public Decision decision() {
        return decisions.get(0);
    }

    /** Returns the decisions of all policies, the decisive one first. */
    public List<Decision> decisions() {
        return decisions;
    }

    /** Returns the detail of the problem. */
    @Override
    public String getMessage() {
        return String.valueOf(getBody().getDetail());
    }

    /** Adds no stack trace. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }

    /** Returns a problem as the body of a response. */
    public static ProblemDetail problemDetail(Problem problem) {
        ProblemDetail detail =
                ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(problem.status()), problem.detail());
        detail.setType(URI.create(problem.type()));
        detail.setTitle(problem.title());
        problem.extensions().forEach(detail::setProperty);
        return detail;
    }
}
