package io.headgate.spring.web.servlet;

import org.springframework.context.ApplicationListener;
import org.springframework.security.authentication.event.AbstractAuthenticationEvent;
import org.springframework.security.authentication.event.AbstractAuthenticationFailureEvent;
import org.springframework.security.authentication.event.AuthenticationSuccessEvent;

/** Notes in a request whether Spring Security authenticated its user. */
final class AuthenticationListener implements ApplicationListener<AbstractAuthenticationEvent> {

    private final CurrentRequest current;

    AuthenticationListener(CurrentRequest current) {
        this.current = current;
    }

    @Override
    public void onApplicationEvent(AbstractAuthenticationEvent event) {
        if (event instanceof AuthenticationSuccessEvent) {
            current.get().ifPresent(request -> request.authenticated(true));
        } else if (event instanceof AbstractAuthenticationFailureEvent) {
            current.get().ifPresent(request -> request.authenticated(false));
        }
    }

    /** Only the thread of the request knows its request. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }
}
