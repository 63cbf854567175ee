"""The only door to data: Adult, its bundled twin, what is publicly known about their columns, and simulated worlds."""

from dpcourse.datasets.adult import ADULT_SCHEMA, Adult, AdultNotFound, DataError, load_adult
from dpcourse.datasets.centres import Centres, simulate_centres
from dpcourse.datasets.clicks import Clicks, simulate_clicks
from dpcourse.datasets.columns import Categorical, Numeric
from dpcourse.datasets.customers import Bank, Customers, simulate_customers
from dpcourse.datasets.fabs import Fabs, ManyClients, Wafers, load_fabs, simulate_clients
from dpcourse.datasets.grids import load_grid
from dpcourse.datasets.hospitals import Hospitals, Stays, simulate_hospitals
from dpcourse.datasets.meters import Meters, simulate_meters
from dpcourse.datasets.schema import Schema, SchemaError
from dpcourse.datasets.suppliers import Suppliers, simulate_suppliers
from dpcourse.datasets.telemetry import Telemetry, simulate_telemetry

__all__ = [
    "ADULT_SCHEMA",
    "Adult",
    "AdultNotFound",
    "Bank",
    "Categorical",
    "Centres",
    "Clicks",
    "Customers",
    "DataError",
    "Fabs",
    "Hospitals",
    "ManyClients",
    "Meters",
    "Numeric",
    "Schema",
    "SchemaError",
    "Stays",
    "Suppliers",
    "Telemetry",
    "Wafers",
    "load_adult",
    "load_fabs",
    "load_grid",
    "simulate_centres",
    "simulate_clicks",
    "simulate_clients",
    "simulate_customers",
    "simulate_hospitals",
    "simulate_meters",
    "simulate_suppliers",
    "simulate_telemetry",
]
