package io.headgate.spring.web.servlet;

import io.headgate.spring.web.LimitExceededException;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** The response of the guide to denied requests. */
@RestControllerAdvice
class Denials {
    @ExceptionHandler
    ResponseEntity<String> denied(LimitExceededException e) {
        return ResponseEntity.status(503).headers(e.getHeaders()).body("busy");
    }
}
