package io.headgate.spring.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.Problem;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.Bean;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpStatus;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.context.support.GenericWebApplicationContext;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.config.annotation.ViewResolverRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Tests the cost of denials in an application with Spring MVC. */
class MvcDenialWriterTest {

    private final List<String> lookups = new ArrayList<>();

    /** Notes the lookups by type, which may search all beans. */
    private final class Beans extends DefaultListableBeanFactory {

        @Override
        public String[] getBeanNamesForType(ResolvableType type, boolean nonSingletons, boolean eager) {
            lookups.add(type.toString());
            return super.getBeanNamesForType(type, nonSingletons, eager);
        }

        @Override
        public String[] getBeanNamesForType(@Nullable Class<?> type, boolean nonSingletons, boolean eager) {
            lookups.add(String.valueOf(type));
            return super.getBeanNamesForType(type, nonSingletons, eager);
        }
    }

    @EnableWebMvc
    static class Application implements WebMvcConfigurer {

        @Override
        public void configureViewResolvers(ViewResolverRegistry registry) {
            registry.beanName();
        }

        @Bean
        View busy() {
            return (model, request, response) -> response.getWriter().write("busy");
        }
    }

    @ControllerAdvice
    static class Denials {

        @ExceptionHandler
        ModelAndView denied(ErrorResponseException e) {
            return new ModelAndView("busy", HttpStatus.SERVICE_UNAVAILABLE);
        }
    }

    @ParameterizedTest
    @CsvSource({"false, 429, application/problem+json", "true, 503,"})
    void a_denial_after_the_first_one_looks_up_no_beans(boolean handled, int status, @Nullable String type)
            throws Exception {
        try (GenericWebApplicationContext context =
                new GenericWebApplicationContext(new Beans(), new MockServletContext())) {
            AnnotatedBeanDefinitionReader beans = new AnnotatedBeanDefinitionReader(context);
            beans.register(Application.class, ServletWebAutoConfiguration.MvcDenials.class);
            if (handled) {
                beans.register(Denials.class);
            }
            context.refresh();
            DenialWriter writer = context.getBean(DenialWriter.class);
            for (int i = 0; i < 2; i++) {
                lookups.clear();
                MockHttpServletResponse response = denied(writer);
                assertThat(response.getStatus()).isEqualTo(status);
                assertThat(response.getContentType()).isEqualTo(type);
            }
            assertThat(lookups).isEmpty();
        }
    }

    private static MockHttpServletResponse denied(DenialWriter writer) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
        request.addHeader("Origin", "https://page.example");
        MockHttpServletResponse response = new MockHttpServletResponse();
        writer.write(new Denied(429, Map.of(), Problem.of(429, "too many"), List.of()), request, response);
        return response;
    }
}
