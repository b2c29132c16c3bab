package io.headgate.spring.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/** Resets limits and the clock before each test method. */
final class ResetListener implements TestExecutionListener {

    /** Created by Spring. */
    ResetListener() {}

    @Override
    public void beforeTestMethod(TestContext test) {
        if (TestContextAnnotationUtils.hasAnnotation(test.getTestClass(), AutoConfigureHeadgate.class)) {
            test.getApplicationContext().getBean(TestLimits.class).reset();
        }
    }
}
