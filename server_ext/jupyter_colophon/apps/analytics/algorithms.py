"""The algorithms of Spark ML that are offered, with their parameters as JSON Schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from jupyter_colophon.apps import NotFound, ServiceContext, ServiceRequest
from jupyter_colophon.apps.analytics.sources import refuse

ProblemType = Literal["classification", "regression"]
Parameters = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An algorithm: a class of `pyspark.ml` below the module of its problem type."""

    name: str
    title: str
    problem_type: ProblemType
    class_name: str
    description: str
    parameters: Parameters
    #: Whether it splits values of categories itself, and needs no column for each value.
    is_tree: bool = False
    #: The most classes of the outcome.
    classes_max: int = 100

    def parse_parameters(self, document: Any) -> dict[str, Any]:
        """Return all parameters, with the defaults of missing ones. Raises BadRequest."""
        if not isinstance(document, dict):
            raise refuse("/parameters", "the parameters must be a JSON object")
        for name, value in document.items():
            if name not in self.parameters:
                known = ", ".join(self.parameters)
                pointer = "/parameters/" + name[:80].replace("~", "~0").replace("/", "~1")
                raise refuse(pointer, f"{self.name} has no such parameter; it has {known}")
            _require_valid(f"/parameters/{name}", value, self.parameters[name])
        return {name: document.get(name, schema["default"]) for name, schema in self.parameters.items()}

    def describe(self) -> dict[str, Any]:
        """Return the algorithm as JSON, with the schema of its parameters."""
        schema = {"type": "object", "additionalProperties": False, "properties": self.parameters}
        return {
            "name": self.name,
            "title": self.title,
            "problemType": self.problem_type,
            "description": self.description,
            "schema": schema,
        }


def list_algorithms(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return all algorithms with their parameters."""
    return {"algorithms": [algorithm.describe() for algorithm in ALGORITHMS.values()]}


def find_algorithm(name: str) -> Algorithm:
    """Return an algorithm. Raises NotFound."""
    if name not in ALGORITHMS:
        raise NotFound("algorithm", name)
    return ALGORITHMS[name]


def _require_valid(pointer: str, value: Any, schema: Mapping[str, Any]) -> None:
    type_ = schema["type"]
    if type_ == "string":
        if value not in schema["enum"]:
            raise refuse(pointer, f"it must be one of {', '.join(schema['enum'])}")
        return
    if type_ == "boolean":
        if not isinstance(value, bool):
            raise refuse(pointer, "it must be true or false")
        return
    kinds = (int,) if type_ == "integer" else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not schema["minimum"] <= value <= schema["maximum"]:
        word = "a whole number" if type_ == "integer" else "a number"
        raise refuse(pointer, f"it must be {word} from {schema['minimum']} to {schema['maximum']}")


def _declare_integer(title: str, description: str, default: int, least: int, most: int) -> dict[str, Any]:
    limits = {"minimum": least, "maximum": most}
    return {"type": "integer", "title": title, "description": description, "default": default, **limits}


def _declare_number(title: str, description: str, default: float, least: float, most: float) -> dict[str, Any]:
    limits = {"minimum": least, "maximum": most}
    return {"type": "number", "title": title, "description": description, "default": default, **limits}


def _declare_choice(title: str, description: str, default: str, *choices: str) -> dict[str, Any]:
    return {"type": "string", "title": title, "description": description, "default": default, "enum": [*choices]}


_ITERATIONS: Final = _declare_integer("Iterations", "The most iterations of the optimization.", 100, 1, 1_000)
_REGULARIZATION: Final = _declare_number(
    "Regularization", "The weight of the penalty for large coefficients.", 0.0, 0.0, 100.0
)
_INTERCEPT: Final = {
    "type": "boolean",
    "title": "Intercept",
    "description": "Whether the model has an intercept.",
    "default": True,
}
_SEED: Final = _declare_integer(
    "Seed", "Models that are trained with the same seed choose the same samples.", 1, 0, 2**31 - 1
)
_LINEAR: Final = {
    "maxIter": _ITERATIONS,
    "regParam": _REGULARIZATION,
    "elasticNetParam": _declare_number("Elastic net", "0 is ridge regression (L2), 1 is lasso (L1).", 0.0, 0.0, 1.0),
    "tol": _declare_number("Tolerance", "The optimization ends when it improves by less.", 1e-6, 1e-12, 1.0),
    "fitIntercept": _INTERCEPT,
}
_TREE: Final = {
    "maxDepth": _declare_integer("Depth", "The most levels of a tree.", 5, 1, 30),
    "maxBins": _declare_integer(
        "Bins", "How many bins numbers are put into; at least the values of a category.", 32, 2, 10_000
    ),
    "minInstancesPerNode": _declare_integer("Rows of a node", "The fewest rows of each node.", 1, 1, 1_000_000),
    "minInfoGain": _declare_number("Information gain", "The least gain for which a node is split.", 0.0, 0.0, 1.0),
    "seed": _SEED,
}
_FOREST: Final = {
    **_TREE,
    "numTrees": _declare_integer("Trees", "The number of trees.", 20, 1, 1_000),
    "subsamplingRate": _declare_number("Sample", "The share of the rows of which each tree is made.", 1.0, 0.01, 1.0),
}
_BOOSTED: Final = {
    **_TREE,
    "maxIter": _declare_integer("Trees", "The number of trees, one after the other.", 20, 1, 500),
    "stepSize": _declare_number("Learning rate", "How much each tree contributes.", 0.1, 0.001, 1.0),
    "subsamplingRate": _declare_number("Sample", "The share of the rows of which each tree is made.", 1.0, 0.01, 1.0),
}
_CLASSIFICATION: Final = (
    ("logistic-regression", "Logistic regression", "LogisticRegression", "A linear model of the classes.", _LINEAR),
    (
        "naive-bayes",
        "Naive Bayes",
        "NaiveBayes",
        "Predictors are taken as independent of each other.",
        {
            "modelType": _declare_choice(
                "Distribution",
                "That of the predictors. Multinomial and complement need values that are not negative, Bernoulli 0 and 1.",
                "gaussian",
                "gaussian",
                "multinomial",
                "complement",
                "bernoulli",
            ),
            "smoothing": _declare_number("Smoothing", "What is added to each count.", 1.0, 0.0, 100.0),
        },
    ),
    (
        "linear-support-vector-machine",
        "Linear support vector machine",
        "LinearSVC",
        "Separates two classes.",
        {
            "maxIter": _ITERATIONS,
            "regParam": _REGULARIZATION,
            "fitIntercept": _INTERCEPT,
        },
    ),
    ("decision-tree-classifier", "Decision tree", "DecisionTreeClassifier", "One tree of conditions.", _TREE),
    ("random-forest-classifier", "Random forest", "RandomForestClassifier", "Many trees that vote.", _FOREST),
    (
        "gradient-boosted-tree-classifier",
        "Gradient-boosted trees",
        "GBTClassifier",
        "Trees for two classes, each of which corrects those before.",
        _BOOSTED,
    ),
)
_REGRESSION: Final = (
    ("linear-regression", "Linear regression", "LinearRegression", "A linear model of the outcome.", _LINEAR),
    (
        "generalized-linear-regression",
        "Generalized linear regression",
        "GeneralizedLinearRegression",
        "A linear model of a function of the outcome.",
        {
            "family": _declare_choice(
                "Family",
                "The distribution of the outcome. Poisson needs values that are not negative, gamma positive ones.",
                "gaussian",
                "gaussian",
                "poisson",
                "gamma",
            ),
            "maxIter": _declare_integer("Iterations", "The most iterations of the optimization.", 25, 1, 1_000),
            "regParam": _REGULARIZATION,
            "fitIntercept": _INTERCEPT,
        },
    ),
    ("decision-tree-regressor", "Decision tree", "DecisionTreeRegressor", "One tree of conditions.", _TREE),
    ("random-forest-regressor", "Random forest", "RandomForestRegressor", "The mean of many trees.", _FOREST),
    (
        "gradient-boosted-tree-regressor",
        "Gradient-boosted trees",
        "GBTRegressor",
        "Trees, each of which corrects those before.",
        _BOOSTED,
    ),
)
_TWO_CLASSES: Final = frozenset({"GBTClassifier", "LinearSVC"})


def _create_algorithms() -> dict[str, Algorithm]:
    offered: tuple[tuple[ProblemType, Any], ...] = (("classification", _CLASSIFICATION), ("regression", _REGRESSION))
    return {
        name: Algorithm(
            name,
            title,
            problem_type,
            class_name,
            description,
            parameters,
            is_tree="maxDepth" in parameters,
            classes_max=2 if class_name in _TWO_CLASSES else 100,
        )
        for problem_type, entries in offered
        for name, title, class_name, description, parameters in entries
    }


ALGORITHMS: Final[Mapping[str, Algorithm]] = _create_algorithms()
