package io.headgate.testkit.conditions;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Evaluates {@link Requires} for JUnit. */
final class RequirementCondition implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), Requires.class)
                .map(Requires::value)
                .filter(requirement -> !requirement.isMet())
                .map(requirement -> ConditionEvaluationResult.disabled(requirement.reason()))
                .orElseGet(() -> ConditionEvaluationResult.enabled("nothing is missing"));
    }
}
