package io.headgate.spring.web;

import io.headgate.http.Problem;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.ErrorResponseException;

/**
 * A request was denied before a limit could decide it, for example because it lacks a value by which it is counted. It has no stack trace,
 * as such requests may be many.
 */
public class RejectedRequestException extends ErrorResponseException {

    private static final long serialVersionUID = 1;

    /** Creates an exception. */
    public RejectedRequestException(Problem problem) {
        super(HttpStatusCode.valueOf(problem.status()), LimitExceededException.problemDetail(problem), null);
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
}
