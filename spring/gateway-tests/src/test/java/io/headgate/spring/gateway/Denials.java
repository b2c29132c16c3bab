package io.headgate.spring.gateway;

import io.headgate.spring.web.LimitExceededException;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** How an application answers denied requests itself. */
@RestControllerAdvice
class Denials {

    @ExceptionHandler
    ResponseEntity<String> denied(LimitExceededException e) {
        return ResponseEntity.status(503).headers(e.getHeaders()).body("busy: " + e.decision().policyName());
    }
}
